package dev.oneroof.app.cli.source;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "source",
        description = "Manage sources: the tables that are tailed.",
        subcommands = {
            SourceAddCommand.class,
            SourceListCommand.class,
            SourceShowCommand.class,
            SourceCheckCommand.class,
            SourceAlterCommand.class,
            SourceRemoveCommand.class
        })
public final class SourceCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing verb; use add, list, show, check, alter or remove");
    }
}
