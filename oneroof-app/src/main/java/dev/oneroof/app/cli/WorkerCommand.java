package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "worker",
        description = "List, show, pause and resume workers, or run one.",
        subcommands = {
            WorkerListCommand.class,
            WorkerShowCommand.class,
            WorkerPauseCommand.class,
            WorkerResumeCommand.class,
            WorkerRunCommand.class
        })
final class WorkerCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a verb is missing: list, show, pause, resume or run");
    }
}
