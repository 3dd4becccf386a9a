package dev.oneroof.app.cli.gate;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "gate",
        description = "List, open and close gates, which control what may run.",
        subcommands = {GateListCommand.class, GateOpenCommand.class, GateCloseCommand.class})
public final class GateCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing verb; use list, open or close");
    }
}
