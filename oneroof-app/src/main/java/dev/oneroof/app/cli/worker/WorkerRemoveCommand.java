package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.ScopeConverter;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.sqlworker.SqlWorkers;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "remove",
        description = "Remove a worker that 'worker add' added. Running servers end it within seconds.",
        footer = {"", "Its cursor stays: added again under the same name, the worker continues from there."})
final class WorkerRemoveCommand implements Callable<Integer> {
    record Answer(String worker, boolean removed, boolean cursorRemoved) {}

    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = ScopeConverter.class, description = "The worker.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Option(names = "--with-cursor", description = "Remove its cursor too: added again, it reads from the beginning.")
    private boolean withCursor;

    @Override
    public Integer call() {
        return act.performWithRoles((db, roles, by) -> {
            new SqlWorkers(db, roles).remove(scope, withCursor, by);
            return new ActOptions.Result(
                    "%s is removed%s".formatted(scope, withCursor ? " with its cursor" : "; its cursor stays"),
                    new Answer(scope.toString(), true, withCursor));
        });
    }
}
