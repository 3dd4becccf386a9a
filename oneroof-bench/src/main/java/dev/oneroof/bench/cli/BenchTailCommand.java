package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.bench.tailspeed.SpeedConfig;
import dev.oneroof.bench.tailspeed.TailBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "tail",
        description = "Measure a tail to a Java handler against keyset pages by plain JDBC.",
        footer = {"", "Works in schema oneroof_bench, which it creates and drops. Exit code 3: a bound does not hold."})
final class BenchTailCommand implements Callable<Integer> {
    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "1000000",
            converter = NumberConverters.Rows.class,
            description = "Rows to read (default ${DEFAULT-VALUE}).")
    private long rows;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "5000",
            converter = NumberConverters.BatchSize.class,
            description = "Rows in a batch of the tail (default ${DEFAULT-VALUE}).")
    private long batch;

    /** A round takes less than a second, and the median of five varies too much. */
    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "15",
            converter = BenchNumberConverters.Rounds.class,
            description = "Rounds; in each, reference and candidate run once (default ${DEFAULT-VALUE}).")
    private long rounds;

    @Override
    public Integer call() throws Exception {
        SpeedConfig config = new SpeedConfig(rows, Math.toIntExact(rounds));
        return options.run("tail, %,d rows".formatted(rows), new TailBench(config, Math.toIntExact(batch)));
    }
}
