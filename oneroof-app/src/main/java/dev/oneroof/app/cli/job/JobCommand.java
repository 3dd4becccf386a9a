package dev.oneroof.app.cli.job;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "job",
        description = "Enqueue, show and control jobs and their kinds.",
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
public final class JobCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "missing verb; use enqueue, kinds, list, show, retry, cancel, pause or resume");
    }
}
