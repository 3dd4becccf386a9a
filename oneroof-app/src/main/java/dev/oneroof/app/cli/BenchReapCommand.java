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
            description = "How often a process is frozen for longer than its leases (default ${DEFAULT-VALUE}).")
    private long stops;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            defaultValue = "5",
            converter = Numbers.JobLease.class,
            description = "How long the lease of a job lasts (default ${DEFAULT-VALUE}).")
    private long lease;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            converter = Numbers.Seed.class,
            description = "What the blows are drawn from (default ${DEFAULT-VALUE}).")
    private long seed;

    @Override
    public Integer call() throws Exception {
        ReapConfig config = new ReapConfig(
                Math.toIntExact(jobs),
                Math.toIntExact(processes),
                Math.toIntExact(kills),
                Math.toIntExact(stops),
                Duration.ofSeconds(lease),
                seed);
        return options.run(
                "%d jobs, %d processes, %d kills and %d stops".formatted(jobs, processes, kills, stops),
                (address, schema, stop) -> new ReapTrial(address, schema, config, stop, Console::say).run());
    }
}
