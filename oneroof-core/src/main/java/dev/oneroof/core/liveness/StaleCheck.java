package dev.oneroof.core.liveness;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Looks who is silent, in one of the running instances. It only calls a function that anybody may call: when no
 * instance runs, others can.
 */
public final class StaleCheck implements Worker {
    private static final Scope SCOPE = Scope.of("stale_check", "queue_heartbeat");
    private static final String CHECK = """
            WITH c AS MATERIALIZED (SELECT oneroof.fn_queue_stale_check() AS found)
            SELECT c.found ->> 'reason' AS reason, coalesce(c.found ->> 'failed', '0') <> '0' AS failed
            FROM c
            """;
    private static final String BUSY = "another check is under way";
    private static final int PATIENCE = 3;

    // Under half the smallest threshold, so that a silence is seen within a threshold and a check.
    private static final String INTERVAL = """
            SELECT least(10, greatest(0.5, min(oneroof.fn_queue_stale_threshold(stale_threshold_seconds)) / 3))
            FROM oneroof.queue_heartbeat
            """;

    private final Database db;
    private int busy;

    /**
     * What a check says.
     *
     * @param reason why it did not look, or what failed
     */
    private record Found(@Nullable String reason, boolean failed) {}

    public StaleCheck(Database db) {
        this.db = db;
    }

    @Override
    public Scope scope() {
        return SCOPE;
    }

    /** None: the function looks at the gate of the heartbeat itself. */
    @Override
    public @Nullable String gate() {
        return null;
    }

    /** Just then it is needed. */
    @Override
    public boolean yieldsToLoad() {
        return false;
    }

    /** An instance that is drained and forgotten is just what it has to tell of. */
    @Override
    public boolean staysOnWatch() {
        return true;
    }

    /** Who comes next registers it again. */
    @Override
    public boolean leavesNoScope() {
        return true;
    }

    @Override
    public void prepare() {
        // Its function is all it needs.
    }

    @Override
    public Pass runOnce(Lease lease) {
        Found found = db.inStatement(tx -> tx.query(CHECK)
                .map((row, context) -> new Found(row.getString("reason"), row.getBoolean("failed")))
                .one());
        double seconds = db.inTx(tx -> tx.query(INTERVAL).mapTo(Double.class).one());
        Duration interval = Duration.ofMillis((long) (seconds * 1000));
        if (found.failed()) {
            return new Pass.Ailing(String.valueOf(found.reason()), interval);
        }
        busy = BUSY.equals(found.reason()) ? busy + 1 : 0;
        // Whoever looks keeps the others from it. One that does not come to its end would blind everybody.
        return busy < PATIENCE
                ? new Pass.Idle(interval)
                : new Pass.Ailing(
                        "a check of somebody else's does not end: see who is idle in a transaction", interval);
    }
}
