package dev.oneroof.bench.cli;

import dev.oneroof.bench.trials.HeartbeatConfig;
import dev.oneroof.bench.trials.HeartbeatTrial;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "heartbeat",
        description = "Measure how long reading one scope takes after an hour of beats under an open snapshot.",
        footer = {"", "Exit code 3: a bound does not hold."})
final class BenchHeartbeatCommand implements Callable<Integer> {
    private static final int LOOKUPS = 2000;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Option(
            names = "--scopes",
            paramLabel = "N",
            defaultValue = "100",
            converter = BenchNumberConverters.Rounds.class,
            description = "Number of scopes that beat (default ${DEFAULT-VALUE}).")
    private long scopes;

    @Option(
            names = "--beats",
            paramLabel = "N",
            defaultValue = "1210",
            converter = BenchNumberConverters.Faults.class,
            description =
                    "Beats of each scope: one every 3.75 s for an hour, and up to 250 for state changes (default ${DEFAULT-VALUE}).")
    private long beats;

    @Override
    public Integer call() throws Exception {
        HeartbeatConfig config = new HeartbeatConfig(Math.toIntExact(scopes), Math.toIntExact(beats), LOOKUPS);
        return options.run("%d beats of %d scopes".formatted(beats, scopes), new HeartbeatTrial(config));
    }
}
