package dev.oneroof.app.cli.worker;

import dev.oneroof.app.cli.AgeText;
import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.liveness.Executor;
import dev.oneroof.core.liveness.Executors;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "List the workers and all other executors with their states and reasons.")
final class WorkerListCommand implements Callable<Integer> {
    private static final Columns<Executor> COLUMNS = new Columns<Executor>()
            .with("WORKER", Executor::name)
            .with("KIND", Executor::kind)
            .with("STATE", Executor::state)
            .with("LAST BEAT", worker -> AgeText.ago(worker.ageSeconds()))
            .with("HELD BY", Executor::leaseOwner)
            .with("WHY", Executor::reason);

    record Answer(List<Executor> workers) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<Executor> workers = OperatorAccess.inDatabase(options, db -> new Executors(db).workers());
        output.list(new Answer(workers), workers, COLUMNS, "nothing is registered: no worker has ever run here");
        return 0;
    }
}
