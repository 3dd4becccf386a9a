package dev.oneroof.app.cli;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The blows that a trial deals to its processes. */
final class BlowOptions {
    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "50",
            converter = Numbers.Blows.class,
            description = "How often a process is killed at once (default ${DEFAULT-VALUE}).")
    private long kills;

    @Option(
            names = "--stops",
            paramLabel = "N",
            defaultValue = "20",
            converter = Numbers.Blows.class,
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
