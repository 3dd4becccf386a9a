package dev.oneroof.core.liveness;

import dev.oneroof.postgres.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Executors, in {@code queue_heartbeat}, with their states from {@code v_queue_health}. */
final class ExecutorStore {
    private static final String FIND = """
            SELECT h.executor_name, h.executor_kind, v.state, v.reason, v.not_known, h.last_tick_at::text AS last_tick_at,
                   v.age_seconds, h.ticks_total, h.expected_cadence_seconds,
                   oneroof.fn_queue_stale_threshold(h.stale_threshold_seconds)::bigint AS threshold,
                   CASE WHEN h.lease_until > clock_timestamp() THEN h.lease_owner END AS lease_owner,
                   h.lease_epoch, h.lease_until::text AS lease_until, h.registered_by
            FROM oneroof.v_queue_health v
            JOIN oneroof.queue_heartbeat h USING (executor_name)
            WHERE v.source = 'heartbeat'
              AND (CAST(:name AS text) IS NULL OR h.executor_name IN (:name, :name || '/0')
                   OR NOT :name LIKE '%/%' AND starts_with(h.executor_name, :name || '/'))
              AND (CAST(:name AS text) IS NOT NULL OR h.executor_name NOT LIKE 'instance/%')
            ORDER BY h.executor_name COLLATE "C"
            """;

    private static final String HISTORY = """
            SELECT s.at::text AS at, extract(epoch FROM clock_timestamp() - s.at)::bigint AS age_seconds, s.transition,
                   s.severity, s.gap_seconds, s.actor
            FROM (SELECT at, transition, severity, gap_seconds, actor
                  FROM oneroof.queue_event_log
                  WHERE executor_name = :name
                  UNION ALL
                  SELECT CAST(t.at AS timestamptz), 'taken_over', NULL, NULL, NULL
                  FROM oneroof.queue_heartbeat h, jsonb_array_elements_text(h.metadata -> 'taken_over_at') t (at)
                  WHERE h.executor_name = :name) s
            ORDER BY s.at DESC
            LIMIT 20
            """;

    /** @param name of a scope, a worker or another executor; null for all but the instances */
    List<Executor> find(Tx tx, @Nullable String name) {
        return tx.query(FIND)
                .bind("name", name)
                .map((row, context) -> executor(row))
                .list();
    }

    /** The last 20, the latest first. */
    List<Executor.Transition> history(Tx tx, String name) {
        return tx.query(HISTORY)
                .bind("name", name)
                .map((row, context) -> new Executor.Transition(
                        row.getString("at"),
                        row.getLong("age_seconds"),
                        row.getString("transition"),
                        row.getString("severity"),
                        row.getObject("gap_seconds", Double.class),
                        row.getString("actor")))
                .list();
    }

    private static Executor executor(ResultSet row) throws SQLException {
        return new Executor(
                row.getString("executor_name"),
                row.getString("executor_kind"),
                row.getString("state"),
                row.getString("reason"),
                row.getString("last_tick_at"),
                row.getLong("age_seconds"),
                row.getLong("ticks_total"),
                row.getLong("expected_cadence_seconds"),
                row.getLong("threshold"),
                row.getString("lease_owner"),
                row.getObject("lease_epoch", Long.class),
                row.getString("lease_until"),
                row.getString("registered_by"),
                row.getString("not_known"));
    }
}
