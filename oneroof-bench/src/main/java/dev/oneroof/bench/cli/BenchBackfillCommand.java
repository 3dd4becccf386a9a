package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.bench.tailspeed.BackfillBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "backfill",
        description = "Measure a sweep in batches against one INSERT … SELECT of the same rows.",
        footer = {"", "Works in schema oneroof_bench, which it creates and drops. Exit code 3: a bound does not hold."})
final class BenchBackfillCommand implements Callable<Integer> {
    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "1037724",
            converter = NumberConverters.Rows.class,
            description = "Births to sweep (default ${DEFAULT-VALUE}).")
    private long rows;

    @Override
    public Integer call() throws Exception {
        return options.bench().run("backfill, %,d rows".formatted(rows), new BackfillBench(options.config(rows)));
    }
}
