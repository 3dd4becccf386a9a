package dev.oneroof.core.sqlworker;

import dev.oneroof.core.feature.FeatureContext;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.WakeUpLayer;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSpec;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.error.Problem;

/**
 * The tail of a worker that is a row. It takes its scope only while the row is as this instance has read it: an instance that
 * is slow to notice a removal would otherwise register the scope again, and read from the beginning where the cursor is gone.
 */
record DeclaredWorker(Database db, SqlWorker row, Worker tail) implements Worker {
    private static final SqlWorkerStore STORE = new SqlWorkerStore();
    private static final SqlWorkerCheck CHECK = new SqlWorkerCheck();

    /** Checks the text again: the functions that write the row take whatever an administrator gives them. */
    static DeclaredWorker of(FeatureContext context, SqlWorker row) {
        String statement = StatementText.stripped(row.statement());
        String flaw = StatementText.flaw(statement);
        if (flaw != null) {
            throw new OneRoofException(new Problem(
                    ErrorCode.INVALID_INPUT,
                    "worker",
                    row.scope().toString(),
                    null,
                    "its statement cannot run: " + flaw,
                    null));
        }
        context.database().useTx(tx -> CHECK.demandNoEffectsOutside(tx, statement));
        return new DeclaredWorker(
                context.database(),
                row,
                context.tail(TailSpec.draft(row.scope().worker(), row.scope().source())
                        .reading(row.columns().toArray(String[]::new))
                        .bySql(statement)));
    }

    @Override
    public WorkerSpec spec() {
        return tail.spec();
    }

    @Override
    public boolean isNeeded() {
        return db.inTx(tx -> STORE.find(tx, row.scope())).filter(row::equals).isPresent();
    }

    @Override
    public void prepare() {
        if (!isNeeded()) {
            throw new OneRoofException(new Problem(
                    ErrorCode.CONFLICT,
                    "worker",
                    row.scope().toString(),
                    null,
                    "its row was changed or removed",
                    null));
        }
        tail.prepare();
    }

    @Override
    public void end() {
        tail.end();
    }

    @Override
    public boolean isWokenBy(WakeUpLayer layer) {
        return tail.isWokenBy(layer);
    }

    @Override
    public void onWakeUp(WakeUpLayer layer) {
        tail.onWakeUp(layer);
    }

    @Override
    public void onPause(Lease lease, String reason) {
        tail.onPause(lease, reason);
    }

    @Override
    public Pass runOnce(Lease lease) {
        return tail.runOnce(lease);
    }
}
