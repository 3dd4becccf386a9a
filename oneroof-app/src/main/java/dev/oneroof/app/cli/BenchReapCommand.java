package dev.oneroof.app.cli;

import dev.oneroof.bench.trials.ReapConfig;
import dev.oneroof.bench.trials.ReapTrial;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "reap",
        description =
                "Kills and freezes processes that do jobs again and again: every effect must happen once, and again only where a"
                        + " crash explains it.",
        footer = {
            "",
            "Works in schema oneroof_reap and with the kinds trial_in_tx, trial_outside and trial_single, which it makes and takes"
                    + " away, and opens the gate queue.jobs.enabled while it runs. Exit code 3: something does not hold.",
        })
final class BenchReapCommand implements Callable<Integer> {
    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Mixin
    private final BlowOptions blows = new BlowOptions();

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "100000",
            converter = Numbers.Rows.class,
            description = "Jobs that are enqueued (default ${DEFAULT-VALUE}).")
    private long jobs;

    @Option(
            names = "--processes",
            paramLabel = "N",
            defaultValue = "3",
            converter = Numbers.Processes.class,
            description = "How many do them at a time (default ${DEFAULT-VALUE}).")
    private long processes;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            defaultValue = "5",
            converter = Numbers.JobLease.class,
            description = "How long the lease of a job lasts (default ${DEFAULT-VALUE}).")
    private long lease;

    @Override
    public Integer call() throws Exception {
        ReapConfig config = new ReapConfig(
                Math.toIntExact(jobs),
                Math.toIntExact(processes),
                blows.kills(),
                blows.stops(),
                Duration.ofSeconds(lease),
                blows.seed());
        return options.run(
                "%d jobs, %d processes, %d kills and %d stops".formatted(jobs, processes, blows.kills(), blows.stops()),
                (address, schema, stop) -> new ReapTrial(address, schema, config, stop, options.output()::say).run());
    }
}
