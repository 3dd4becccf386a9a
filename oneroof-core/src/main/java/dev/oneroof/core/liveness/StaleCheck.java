package dev.oneroof.core.liveness;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSpec;
import dev.oneroof.postgres.Database;
import java.time.Duration;

/**
 * Finds silent executors, in one of the running instances. It only calls a function that other logins may call too, when no
 * instance runs. It has no gate: the function itself reads the heartbeat's. It ignores load, as it is needed most then, and runs
 * while its instance drains: a drained instance that is forgotten is one of the things it reports. The next instance
 * registers its scope again.
 */
public final class StaleCheck implements Worker {
    private static final WorkerSpec SPEC = WorkerSpec.of(Scope.of("stale_check", "queue_heartbeat"))
            .ignoringLoad()
            .runningWhileDraining()
            .removingScope(true);

    // As fn_queue_stale_check returns it.
    private static final String BUSY = "another check is under way";
    private static final int MOST_BUSY = 3;

    private final Database db;
    private final StaleCheckStore store = new StaleCheckStore();
    private int busy;

    public StaleCheck(Database db) {
        this.db = db;
    }

    @Override
    public WorkerSpec spec() {
        return SPEC;
    }

    @Override
    public void prepare() {
        // The function is all it needs.
    }

    @Override
    public Pass runOnce(Lease lease) {
        StaleCheckStore.Result result = db.inStatement(store::check);
        Duration interval = db.inTx(store::interval);
        if (result.failed()) {
            return new Pass.Degraded(String.valueOf(result.reason()), interval);
        }
        busy = BUSY.equals(result.reason()) ? busy + 1 : 0;
        // A running check excludes all others. One that does not end would leave every silence unreported.
        return busy < MOST_BUSY
                ? new Pass.Idle(interval)
                : new Pass.Degraded(
                        "%d checks in a row found another check running: look for a session that is idle in a transaction"
                                .formatted(busy),
                        interval);
    }
}
