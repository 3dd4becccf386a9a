package dev.oneroof.core.liveness;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.stream.Collectors;

/** The registered executors, for operators; their states are those of {@code v_queue_health}. */
public final class Executors {
    private final Database db;
    private final ExecutorStore store = new ExecutorStore();

    public Executors(Database db) {
        this.db = db;
    }

    /** All but the instances. */
    public List<Executor> workers() {
        return db.inTx(tx -> store.find(tx, null));
    }

    /**
     * One of them, with its history.
     *
     * @param name of a scope, with or without its shard where that is 0; of a worker that has only one scope; or of any other
     *     executor
     */
    public Executor.History show(String name) {
        return db.inTx(tx -> {
            List<Executor> found = store.find(tx, name);
            Executor executor = found.stream().findFirst().orElseThrow(() -> unknown(name));
            if (found.size() > 1) {
                throw ambiguous(name, found);
            }
            return new Executor.History(executor, store.history(tx, executor.name()));
        });
    }

    private static OneRoofException ambiguous(String name, List<Executor> found) {
        return new OneRoofException(
                ErrorCode.INVALID_INPUT,
                "worker: '%s' is %d of them; allowed are %s"
                        .formatted(
                                name,
                                found.size(),
                                found.stream().map(Executor::name).collect(Collectors.joining(", "))));
    }

    private static OneRoofException unknown(String name) {
        return new OneRoofException(
                ErrorCode.NOT_FOUND,
                "worker: '%s' is not registered; 'oneroof worker list' has those that are".formatted(name));
    }
}
