package dev.oneroof.app.cli;

import dev.oneroof.core.grant.ExecutorGrants;
import dev.oneroof.core.grant.GrantNames;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "revoke",
        description = "Takes grants from a login. What it has leased under them runs out, and is leased again.")
final class ExecutorRevokeCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final Act act = new Act();

    @Mixin
    private final GrantOptions options = new GrantOptions();

    @Option(names = "--all", description = "All that it has.")
    private boolean all;

    @Parameters(paramLabel = "LOGIN", description = "The login; 'oneroof executor list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String login;

    @Override
    public Integer call() {
        if (all && !options.names().equals(GrantNames.none())) {
            throw new ParameterException(
                    spec.commandLine(), "--all: not allowed together with --kind, --executor and --domain");
        }
        return act.perform((db, by) -> {
            ExecutorGrants grants = new ExecutorGrants(db);
            return ExecutorAnswer.of(
                    login, "revoked", all ? grants.revokeAll(login, by) : grants.revoke(login, options.names(), by));
        });
    }
}
