package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.bench.trials.ResumeConfig;
import dev.oneroof.bench.trials.ResumeTrial;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "resume",
        description = "Kill and freeze the owner of a tail repeatedly: every effect must happen once.",
        footer = {"", "Works in schema oneroof_resume, which it creates and drops. Exit code 3: a bound does not hold."
        })
final class BenchResumeCommand implements Callable<Integer> {
    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Mixin
    private final FaultOptions faults = new FaultOptions();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "200000",
            converter = NumberConverters.Rows.class,
            description = "Write at least N rows (default ${DEFAULT-VALUE}).")
    private long rows;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            defaultValue = "2",
            converter = BenchNumberConverters.Seconds.class,
            description = "How long a lease lasts without a beat (default ${DEFAULT-VALUE}).")
    private long lease;

    @Override
    public Integer call() throws Exception {
        ResumeConfig config =
                new ResumeConfig(rows, faults.kills(), faults.stops(), Duration.ofSeconds(lease), faults.seed());
        return options.run(
                "%d kills and %d stops".formatted(faults.kills(), faults.stops()),
                (address, schema, stop) -> new ResumeTrial(address, schema, config, stop, options.output()::say).run());
    }
}
