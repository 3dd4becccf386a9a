package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.SeedOption;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The faults that a trial injects into its processes. */
final class FaultOptions {
    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "50",
            converter = BenchNumberConverters.Faults.class,
            description = "How often a process is killed with SIGKILL (default ${DEFAULT-VALUE}).")
    private long kills;

    @Option(
            names = "--stops",
            paramLabel = "N",
            defaultValue = "20",
            converter = BenchNumberConverters.Faults.class,
            description = "How often a process is frozen for longer than its lease (default ${DEFAULT-VALUE}).")
    private long stops;

    @Mixin
    private final SeedOption seed = new SeedOption();

    int kills() {
        return Math.toIntExact(kills);
    }

    int stops() {
        return Math.toIntExact(stops);
    }

    long seed() {
        return seed.seed();
    }
}
