package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.bench.tailspeed.DepthBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "depth",
        description = "Measure the cost of a row at the end of a table against the cost near its start.",
        footer = {"", "Works in schema oneroof_bench, which it creates and drops. Exit code 3: a bound does not hold."})
final class BenchDepthCommand implements Callable<Integer> {
    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "10000000",
            converter = NumberConverters.Rows.class,
            description = "Rows in the table (default ${DEFAULT-VALUE}).")
    private long rows;

    @Override
    public Integer call() throws Exception {
        return options.bench().run("depth, %,d rows".formatted(rows), new DepthBench(options.config(rows)));
    }
}
