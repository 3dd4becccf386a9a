package dev.oneroof.app.cli;

import dev.oneroof.bench.trials.HeartbeatConfig;
import dev.oneroof.bench.trials.HeartbeatTrial;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "heartbeat",
        description = "An hour of beats while a snapshot stays open: how long a look at one scope takes then.",
        footer = {"", "Exit code 3: it takes longer than it may."})
final class BenchHeartbeatCommand implements Callable<Integer> {
    private static final int LOOKUPS = 2000;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Option(
            names = "--scopes",
            paramLabel = "N",
            defaultValue = "100",
            converter = Numbers.Rounds.class,
            description = "Scopes that beat (default ${DEFAULT-VALUE}).")
    private long scopes;

    @Option(
            names = "--beats",
            paramLabel = "N",
            defaultValue = "1210",
            converter = Numbers.Blows.class,
            description =
                    "Beats of each: in an hour one every 3.75 s, and at most 250 more for news (default ${DEFAULT-VALUE}).")
    private long beats;

    @Override
    public Integer call() throws Exception {
        HeartbeatConfig config = new HeartbeatConfig(Math.toIntExact(scopes), Math.toIntExact(beats), LOOKUPS);
        return options.run("%d beats of %d scopes".formatted(beats, scopes), new HeartbeatTrial(config));
    }
}
