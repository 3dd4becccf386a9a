package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.NumberConverters;
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
                "Kill and freeze processes that run jobs: every effect must happen once, and again only where a crash"
                        + " explains it.",
        footer = {
            "",
            "Works in schema oneroof_reap and with the kinds trial_in_tx, trial_outside and trial_single, which it creates and"
                    + " removes, and opens the gate queue.jobs.enabled while it runs. Exit code 3: a bound does not hold.",
        })
final class BenchReapCommand implements Callable<Integer> {
    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Mixin
    private final FaultOptions faults = new FaultOptions();

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "100000",
            converter = NumberConverters.Rows.class,
            description = "Number of jobs (default ${DEFAULT-VALUE}).")
    private long jobs;

    @Option(
            names = "--processes",
            paramLabel = "N",
            defaultValue = "3",
            converter = BenchNumberConverters.Processes.class,
            description = "Number of processes that run them (default ${DEFAULT-VALUE}).")
    private long processes;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            defaultValue = "5",
            converter = BenchNumberConverters.JobLease.class,
            description = "How long the lease of a job lasts (default ${DEFAULT-VALUE}).")
    private long lease;

    @Override
    public Integer call() throws Exception {
        ReapConfig config = new ReapConfig(
                Math.toIntExact(jobs),
                Math.toIntExact(processes),
                faults.kills(),
                faults.stops(),
                Duration.ofSeconds(lease),
                faults.seed());
        return options.run(
                "%d jobs, %d processes, %d kills and %d stops"
                        .formatted(jobs, processes, faults.kills(), faults.stops()),
                (address, schema, stop) -> new ReapTrial(address, schema, config, stop, options.output()::say).run());
    }
}
