package dev.oneroof.app.cli.worker;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "worker",
        description =
                "Manage workers: add, change and remove those that are SQL, list and show all, pause and resume them, run one.",
        subcommands = {
            WorkerAddCommand.class,
            WorkerAlterCommand.class,
            WorkerRemoveCommand.class,
            WorkerListCommand.class,
            WorkerShowCommand.class,
            WorkerPauseCommand.class,
            WorkerResumeCommand.class,
            WorkerRunCommand.class
        })
public final class WorkerCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "missing verb; use add, alter, remove, list, show, pause, resume or run");
    }
}
