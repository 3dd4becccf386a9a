package dev.oneroof.bench.cli;

import dev.oneroof.bench.trials.SnapshotConfig;
import dev.oneroof.bench.trials.SnapshotTrial;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "snapshot",
        description = "Measure a tail while a snapshot stays open: it may be slower by at most a quarter.",
        footer = {
            "",
            "Works in schema oneroof_snapshot, which it creates and drops. Exit code 3: a bound does not hold.",
        })
final class BenchSnapshotCommand implements Callable<Integer> {
    private static final Duration BEFORE = Duration.ofSeconds(60);
    private static final Duration BURST_EVERY = Duration.ofSeconds(5);
    private static final int BURST_ROWS = 2500;

    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "10",
            converter = BenchNumberConverters.Minutes.class,
            description = "How long the snapshot stays open (default ${DEFAULT-VALUE}).")
    private long minutes;

    @Override
    public Integer call() throws Exception {
        SnapshotConfig config = new SnapshotConfig(BEFORE, Duration.ofMinutes(minutes), BURST_EVERY, BURST_ROWS);
        return options.run(
                "a snapshot open for %d minutes".formatted(minutes),
                (address, schema, stop) -> new SnapshotTrial(address, schema, config, stop).run());
    }
}
