package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.bench.trials.LocksConfig;
import dev.oneroof.bench.trials.LocksTrial;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "locks",
        description = "Run batches while pauses, beats and claims happen: the server must count no deadlock.",
        footer = {"", "Works in schema oneroof_locks, which it creates and drops. Exit code 3: a bound does not hold."})
final class BenchLocksCommand implements Callable<Integer> {
    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "10",
            converter = BenchNumberConverters.Minutes.class,
            description = "How long it runs (default ${DEFAULT-VALUE}).")
    private long minutes;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            converter = NumberConverters.Seed.class,
            description = "The random seed of the concurrent acts (default ${DEFAULT-VALUE}).")
    private long seed;

    @Override
    public Integer call() throws Exception {
        LocksConfig config = new LocksConfig(Duration.ofMinutes(minutes), seed);
        return options.run(
                "%d minutes of concurrent acts".formatted(minutes),
                (address, schema, stop) -> new LocksTrial(address, schema, config, stop).run());
    }
}
