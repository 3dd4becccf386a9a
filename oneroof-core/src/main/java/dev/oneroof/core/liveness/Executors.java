package dev.oneroof.core.liveness;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks at executors one by one; their states are those of {@code v_queue_health}. */
public final class Executors {
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

    private static final String STORY = """
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

    private final Database db;

    public Executors(Database db) {
        this.db = db;
    }

    /** All but the instances. */
    public List<Executor> workers() {
        return find(null);
    }

    /**
     * One of them, with what happened to it.
     *
     * @param name of a scope, with or without its shard where that is the first; of a worker that has but one; or of any
     *     other executor
     */
    public Executor.Story show(String name) {
        List<Executor> found = find(name);
        Executor executor = found.stream().findFirst().orElseThrow(() -> unknown(name));
        if (found.size() > 1) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "worker: '%s' is %d of them; allowed are %s"
                            .formatted(
                                    name,
                                    found.size(),
                                    found.stream().map(Executor::name).collect(Collectors.joining(", "))));
        }
        List<Executor.Transition> transitions = db.inTx(tx -> tx.query(STORY)
                .bind("name", executor.name())
                .map((row, context) -> new Executor.Transition(
                        row.getString("at"),
                        row.getLong("age_seconds"),
                        row.getString("transition"),
                        row.getString("severity"),
                        row.getObject("gap_seconds", Double.class),
                        row.getString("actor")))
                .list());
        return new Executor.Story(executor, transitions);
    }

    private List<Executor> find(@Nullable String name) {
        return db.inTx(tx -> tx.query(FIND)
                .bind("name", name)
                .map((row, context) -> executor(row))
                .list());
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

    private static OneRoofException unknown(String name) {
        return new OneRoofException(
                ErrorCode.NOT_FOUND,
                "worker: '%s' is not registered; 'oneroof worker list' has those that are".formatted(name));
    }
}
