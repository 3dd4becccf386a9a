package dev.oneroof.core.worker;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pauses, in {@code worker_pause}. The running worker sees a change within {@link LoopConfig#gateInterval}. */
public final class PauseStore {
    private static final String PAUSE = """
            INSERT INTO oneroof.worker_pause (executor_name, actor, reason, until)
            VALUES (:executor, :actor, :reason,
                    clock_timestamp() + make_interval(secs => CAST(:seconds AS double precision)))
            ON CONFLICT (executor_name) DO UPDATE
            SET actor = EXCLUDED.actor, reason = EXCLUDED.reason, until = EXCLUDED.until
            """;

    private static final String RESUME = "DELETE FROM oneroof.worker_pause WHERE executor_name = :executor";

    // A cursor is known before a worker runs on it, and a worker without a cursor while it is registered. A paused one
    // is
    // known in any case: what removes its scope when it ends must still be resumable.
    private static final String FIND = """
            SELECT k.executor_name
            FROM (SELECT concat(c.worker_name, '/', c.source_name, '/', c.shard) AS executor_name
                  FROM oneroof.gov_worker_cursor c
                  UNION
                  SELECT h.executor_name
                  FROM oneroof.queue_heartbeat h
                  WHERE h.executor_kind = 'PG_worker' AND h.executor_name NOT LIKE 'instance/%'
                    AND h.executor_name ~ '^[^/]+/.+/[0-9]+$'
                  UNION
                  SELECT p.executor_name
                  FROM oneroof.worker_pause p) k
            WHERE k.executor_name IN (:name, :name || '/0')
               OR NOT :name LIKE '%/%' AND starts_with(k.executor_name, :name || '/')
            ORDER BY k.executor_name COLLATE "C"
            """;

    /** Pauses the scope, or gives its pause another actor, reason and end. */
    public void pause(Tx tx, Scope scope, OperatorAct by, @Nullable Duration expiry) {
        tx.update(PAUSE)
                .bind("executor", scope.executorName())
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .bind("seconds", expiry == null ? null : (Double) (expiry.toMillis() / 1000.0))
                .execute();
    }

    /** False when it was not paused. */
    public boolean resume(Tx tx, Scope scope) {
        return tx.update(RESUME).bind("executor", scope.executorName()).execute() == 1;
    }

    /**
     * The scopes of this name that can be paused.
     *
     * @param name of a scope, with or without its shard where that is 0, or of a worker
     */
    public List<Scope> find(Tx tx, String name) {
        return tx.query(FIND)
                .bind("name", name)
                .mapTo(String.class)
                .map(Scope::ofExecutor)
                .list();
    }
}
