package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "job",
        description = "Enqueues jobs, shows them, and changes what becomes of them and their kinds.",
        subcommands = {
            JobEnqueueCommand.class,
            JobKindsCommand.class,
            JobListCommand.class,
            JobShowCommand.class,
            JobRetryCommand.class,
            JobCancelCommand.class,
            JobPauseCommand.class,
            JobResumeCommand.class
        })
final class JobCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "a verb is missing: enqueue, kinds, list, show, retry, cancel, pause or resume");
    }
}
