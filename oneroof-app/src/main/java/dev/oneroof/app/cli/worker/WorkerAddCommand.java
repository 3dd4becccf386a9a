package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.sqlworker.SqlWorkerDraft;
import dev.oneroof.core.sqlworker.SqlWorkers;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "add",
        description = "Add a worker that runs one SQL statement for each batch of new rows, exactly once.",
        footer = {
            "",
            "The statement runs in the transaction that moves the cursor, with the rights of the server's role. Running"
                    + " servers start it within seconds. The login must be a member of the administrator's role.",
            "",
            "Example, with the statement INSERT INTO bill (code) SELECT entity_code FROM page in bill.sql:",
            "  oneroof worker add biller --source births --reading entity_code --sql bill.sql --reason 'bill births'"
        })
final class WorkerAddCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Mixin
    private final StatementFile statement = new StatementFile();

    @Parameters(paramLabel = "NAME", description = "The worker's name: a-z, 0-9, _, . and -.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--source", required = true, paramLabel = "SOURCE", description = "The source that it reads.")
    @SuppressWarnings("NullAway.Init")
    private String source;

    @Override
    public Integer call() {
        SqlWorkerDraft draft = new SqlWorkerDraft(Scope.of(name, source), statement.columns(), statement.text());
        return act.performWithRoles((db, roles, by) -> new ActOptions.Result(
                "%s is added; running servers start it within seconds".formatted(draft.scope()),
                WorkerAnswer.of(new SqlWorkers(db, roles).add(draft, by))));
    }
}
