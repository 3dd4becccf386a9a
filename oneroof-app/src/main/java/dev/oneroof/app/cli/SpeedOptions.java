package dev.oneroof.app.cli;

import dev.oneroof.bench.tailspeed.SpeedConfig;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a bench that lets reference and candidate take turns. */
final class SpeedOptions {
    @Mixin
    private final BenchOptions bench = new BenchOptions();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            converter = Numbers.Rounds.class,
            description = "How often they take turns; fewer than ${DEFAULT-VALUE} prove nothing"
                    + " (default ${DEFAULT-VALUE}).")
    private long rounds;

    BenchOptions bench() {
        return bench;
    }

    SpeedConfig config(long rows) {
        return new SpeedConfig(rows, Math.toIntExact(rounds));
    }
}
