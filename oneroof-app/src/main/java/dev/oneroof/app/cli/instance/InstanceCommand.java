package dev.oneroof.app.cli.instance;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "instance",
        description = "Manage instances: the processes that run workers.",
        subcommands = {InstanceListCommand.class, InstanceDrainCommand.class, InstanceForgetCommand.class})
public final class InstanceCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing verb; use list, drain or forget");
    }
}
