package dev.oneroof.app.cli;

import dev.oneroof.core.liveness.Executor;
import dev.oneroof.core.liveness.Executors;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "Lists the workers and all others that beat, with the state of each and why.")
final class WorkerListCommand implements Callable<Integer> {
    private static final Columns<Executor> COLUMNS = new Columns<Executor>()
            .with("WORKER", Executor::name)
            .with("KIND", Executor::kind)
            .with("STATE", Executor::state)
            .with("LAST BEAT", worker -> Ages.ago(worker.ageSeconds()))
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
        output.list(new Answer(workers), workers, COLUMNS, "nobody is registered: no worker has ever run here");
        return 0;
    }
}
