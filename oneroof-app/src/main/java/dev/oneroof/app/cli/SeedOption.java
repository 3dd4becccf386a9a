package dev.oneroof.app.cli;

import picocli.CommandLine.Option;

/** The seed of commands that generate random data. */
public final class SeedOption {
    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            converter = NumberConverters.Seed.class,
            description = "The random seed; the same seed gives the same run (default ${DEFAULT-VALUE}).")
    private long seed;

    public long seed() {
        return seed;
    }
}
