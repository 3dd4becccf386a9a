package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "instance",
        description = "Looks after the running processes.",
        subcommands = {InstanceListCommand.class, InstanceDrainCommand.class, InstanceForgetCommand.class})
final class InstanceCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a verb is missing: list, drain or forget");
    }
}
