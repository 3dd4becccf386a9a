package dev.oneroof.app.cli;

import dev.oneroof.bench.tailspeed.DepthBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "depth",
        description = "What a row costs deep in a table, against what it costs near its beginning.",
        footer = {"", "Works in schema oneroof_bench, which it makes and drops. Exit code 3: something does not hold."})
final class BenchDepthCommand implements Callable<Integer> {
    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "10000000",
            converter = Numbers.Rows.class,
            description = "Rows in the table (default ${DEFAULT-VALUE}).")
    private long rows;

    @Override
    public Integer call() throws Exception {
        return options.bench().run("depth, %,d rows".formatted(rows), new DepthBench(options.config(rows)));
    }
}
