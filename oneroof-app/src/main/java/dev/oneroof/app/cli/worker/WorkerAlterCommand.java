package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.app.cli.ScopeConverter;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.sqlworker.SqlWorkerDraft;
import dev.oneroof.core.sqlworker.SqlWorkers;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "alter",
        description = "Change the statement of a worker that 'worker add' added. Its cursor stays where it is.")
final class WorkerAlterCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Mixin
    private final StatementFile statement = new StatementFile();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = ScopeConverter.class, description = "The worker.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Override
    public Integer call() {
        SqlWorkerDraft draft = new SqlWorkerDraft(scope, statement.columns(), statement.text());
        return act.performWithRoles((db, roles, by) -> new ActOptions.Result(
                "%s is changed; running servers replace it within seconds".formatted(scope),
                WorkerAnswer.of(new SqlWorkers(db, roles).alter(draft, by))));
    }
}
