package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "executor",
        description = "Grants to the logins of executors what they may lease, beat for and emit.",
        subcommands = {ExecutorGrantCommand.class, ExecutorRevokeCommand.class, ExecutorListCommand.class})
final class ExecutorCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a verb is missing: grant, revoke or list");
    }
}
