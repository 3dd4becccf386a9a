package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "gate",
        description = "Opens and closes what may run.",
        subcommands = {GateListCommand.class, GateOpenCommand.class, GateCloseCommand.class})
final class GateCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a verb is missing: list, open or close");
    }
}
