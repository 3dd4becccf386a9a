package dev.oneroof.app.cli;

import dev.oneroof.bench.trials.ResumeConfig;
import dev.oneroof.bench.trials.ResumeTrial;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "resume",
        description = "Kills and freezes the owner of a tail again and again: every effect must happen once.",
        footer = {"", "Works in schema oneroof_resume, which it makes and drops. Exit code 3: something does not hold."
        })
final class BenchResumeCommand implements Callable<Integer> {
    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Mixin
    private final BlowOptions blows = new BlowOptions();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "200000",
            converter = Numbers.Rows.class,
            description = "Rows that are written at least (default ${DEFAULT-VALUE}).")
    private long rows;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            defaultValue = "2",
            converter = Numbers.Seconds.class,
            description = "How long a lease lasts without a beat (default ${DEFAULT-VALUE}).")
    private long lease;

    @Override
    public Integer call() throws Exception {
        ResumeConfig config =
                new ResumeConfig(rows, blows.kills(), blows.stops(), Duration.ofSeconds(lease), blows.seed());
        return options.run(
                "%d kills and %d stops".formatted(blows.kills(), blows.stops()),
                (address, schema, stop) -> new ResumeTrial(address, schema, config, stop, options.output()::say).run());
    }
}
