package dev.oneroof.bench.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "bench",
        description = "Run benchmarks and trials, on the embedded server or on your own.",
        subcommands = {
            BenchBackfillCommand.class,
            BenchCrashCommand.class,
            BenchDepthCommand.class,
            BenchHeartbeatCommand.class,
            BenchJobsCommand.class,
            BenchLateCommand.class,
            BenchLocksCommand.class,
            BenchPickupCommand.class,
            BenchReapCommand.class,
            BenchResumeCommand.class,
            BenchSnapshotCommand.class,
            BenchTailCommand.class,
            BenchWakeCommand.class
        })
final class BenchCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "missing bench; use backfill, crash, depth, heartbeat, jobs, late, locks, pickup, reap, resume, snapshot, tail or wake");
    }
}
