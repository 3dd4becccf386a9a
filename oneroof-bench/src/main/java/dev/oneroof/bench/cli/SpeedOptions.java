package dev.oneroof.bench.cli;

import dev.oneroof.bench.tailspeed.SpeedConfig;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a bench that runs reference and candidate in rounds. */
final class SpeedOptions {
    @Mixin
    private final BenchOptions bench = new BenchOptions();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            converter = BenchNumberConverters.Rounds.class,
            description = "Rounds; in each, reference and candidate run once (default ${DEFAULT-VALUE}).")
    private long rounds;

    BenchOptions bench() {
        return bench;
    }

    SpeedConfig config(long rows) {
        return new SpeedConfig(rows, Math.toIntExact(rounds));
    }
}
