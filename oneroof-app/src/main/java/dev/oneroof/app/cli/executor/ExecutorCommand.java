package dev.oneroof.app.cli.executor;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "executor",
        description = "Manage grants: which jobs, executors and events the login of an executor may use.",
        subcommands = {ExecutorGrantCommand.class, ExecutorRevokeCommand.class, ExecutorListCommand.class})
public final class ExecutorCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing verb; use grant, revoke or list");
    }
}
