package dev.oneroof.app.cli;

import picocli.CommandLine.Option;

/** Of every command that draws what it makes: the same seed, the same doings. */
final class SeedOption {
    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            converter = Numbers.Seed.class,
            description = "What everything is drawn from: the same seed, the same again (default ${DEFAULT-VALUE}).")
    private long seed;

    long seed() {
        return seed;
    }
}
