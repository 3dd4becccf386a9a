package dev.oneroof.app.cli.executor;

import dev.oneroof.app.cli.ActOptions;
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
        description = "Revoke grants of a login. Its leases under them expire, and the jobs are leased again.")
final class ExecutorRevokeCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final ActOptions act = new ActOptions();

    @Mixin
    private final GrantOptions options = new GrantOptions();

    @Option(names = "--all", description = "Revoke all its grants.")
    private boolean all;

    @Parameters(paramLabel = "LOGIN", description = "The login; see 'oneroof executor list'.")
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
