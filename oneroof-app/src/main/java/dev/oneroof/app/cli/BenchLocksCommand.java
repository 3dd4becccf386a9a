package dev.oneroof.app.cli;

import dev.oneroof.bench.trials.LocksConfig;
import dev.oneroof.bench.trials.LocksTrial;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "locks",
        description = "Batches among pauses, beats and claims: the server must count no deadlock.",
        footer = {"", "Works in schema oneroof_locks, which it makes and drops. Exit code 3: something does not hold."})
final class BenchLocksCommand implements Callable<Integer> {
    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "10",
            converter = Numbers.Minutes.class,
            description = "How long it goes on (default ${DEFAULT-VALUE}).")
    private long minutes;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            converter = Numbers.Seed.class,
            description = "What the meddlers' doings are drawn from (default ${DEFAULT-VALUE}).")
    private long seed;

    @Override
    public Integer call() throws Exception {
        LocksConfig config = new LocksConfig(Duration.ofMinutes(minutes), seed);
        return options.run(
                "%d minutes of meddling".formatted(minutes),
                (address, schema, stop) -> new LocksTrial(address, schema, config, stop).run());
    }
}
