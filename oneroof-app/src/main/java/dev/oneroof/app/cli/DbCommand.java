package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "db",
        description = "Looks after OneRoof's own schema.",
        subcommands = {DbMigrateCommand.class, DbStatusCommand.class})
final class DbCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a verb is missing: migrate or status");
    }
}
