package dev.oneroof.app.cli.db;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "db",
        description = "Manage OneRoof's own schema.",
        subcommands = {DbMigrateCommand.class, DbStatusCommand.class})
public final class DbCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing verb; use migrate or status");
    }
}
