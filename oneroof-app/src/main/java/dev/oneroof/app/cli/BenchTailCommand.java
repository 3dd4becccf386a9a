package dev.oneroof.app.cli;

import dev.oneroof.bench.tailspeed.TailBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "tail",
        description = "A tail to a Java handler, against keyset pages by plain JDBC.",
        footer = {"", "Works in schema oneroof_bench, which it makes and drops. Exit code 3: something does not hold."})
final class BenchTailCommand implements Callable<Integer> {
    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "1000000",
            converter = Numbers.Rows.class,
            description = "Rows to read (default ${DEFAULT-VALUE}).")
    private long rows;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "5000",
            converter = Numbers.BatchSize.class,
            description = "Rows that the tail commits at once (default ${DEFAULT-VALUE}).")
    private long batch;

    @Override
    public Integer call() throws Exception {
        return options.bench()
                .run("tail, %,d rows".formatted(rows), new TailBench(options.config(rows), Math.toIntExact(batch)));
    }
}
