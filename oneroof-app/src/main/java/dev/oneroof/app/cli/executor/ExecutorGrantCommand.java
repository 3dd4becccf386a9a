package dev.oneroof.app.cli.executor;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.grant.ExecutorGrants;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "grant", description = "Grant kinds of jobs, executor names and event domains to a login.")
final class ExecutorGrantCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Mixin
    private final GrantOptions options = new GrantOptions();

    @Parameters(paramLabel = "LOGIN", description = "The executor's login role, a member of dot_executor.")
    @SuppressWarnings("NullAway.Init")
    private String login;

    @Override
    public Integer call() {
        return act.perform((db, by) ->
                ExecutorAnswer.of(login, "added", new ExecutorGrants(db).grant(login, options.names(), by)));
    }
}
