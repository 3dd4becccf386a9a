package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "source",
        description = "Looks after the tables that are tailed.",
        subcommands = {
            SourceAddCommand.class,
            SourceListCommand.class,
            SourceShowCommand.class,
            SourceCheckCommand.class,
            SourceAlterCommand.class,
            SourceRemoveCommand.class
        })
final class SourceCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a verb is missing: add, list, show, check, alter or remove");
    }
}
