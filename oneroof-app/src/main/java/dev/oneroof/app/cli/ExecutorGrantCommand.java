package dev.oneroof.app.cli;

import dev.oneroof.core.grant.ExecutorGrants;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "grant", description = "Grants kinds of jobs, executors and domains of events to a login.")
final class ExecutorGrantCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Mixin
    private final GrantOptions options = new GrantOptions();

    @Parameters(paramLabel = "LOGIN", description = "The role it logs in as, a member of dot_executor.")
    @SuppressWarnings("NullAway.Init")
    private String login;

    @Override
    public Integer call() {
        return act.perform((db, by) ->
                ExecutorAnswer.of(login, "added", new ExecutorGrants(db).grant(login, options.names(), by)));
    }
}
