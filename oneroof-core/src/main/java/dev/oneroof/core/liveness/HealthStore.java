package dev.oneroof.core.liveness;

import dev.oneroof.postgres.Tx;
import java.util.List;

/** The rows of {@code v_queue_health}. */
final class HealthStore {
    private static final String ROWS = """
            SELECT source, subject, executor_name, domain, last_seen_at::text AS last_seen_at, age_seconds, events_seen,
                   attempts_written, dead_lettered, count, status_hint, state, reason, not_known,
                   extract(epoch FROM clock_timestamp() - since)::bigint AS since_seconds
            FROM oneroof.v_queue_health
            ORDER BY source, subject, executor_name, domain
            """;

    List<Health.Line> lines(Tx tx) {
        return tx.query(ROWS)
                .map((row, context) -> new Health.Line(
                        row.getString("source"),
                        row.getString("subject"),
                        row.getString("executor_name"),
                        row.getString("domain"),
                        row.getString("last_seen_at"),
                        row.getObject("age_seconds", Long.class),
                        row.getObject("events_seen", Long.class),
                        row.getObject("attempts_written", Long.class),
                        row.getObject("dead_lettered", Long.class),
                        row.getObject("count", Long.class),
                        row.getString("status_hint"),
                        row.getString("state"),
                        row.getString("reason"),
                        row.getObject("since_seconds", Long.class),
                        row.getString("not_known")))
                .list();
    }
}
