package dev.oneroof.core.liveness;

import dev.oneroof.postgres.Database;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@code v_queue_health} says, the one place that names a state. */
public final class Health {
    private static final String ROWS = """
            SELECT source, subject, executor_name, domain, last_seen_at::text AS last_seen_at, age_seconds, events_seen,
                   attempts_written, dead_lettered, count, status_hint, state, reason, not_known,
                   extract(epoch FROM clock_timestamp() - since)::bigint AS since_seconds
            FROM oneroof.v_queue_health
            ORDER BY source, subject, executor_name, domain
            """;

    private final Database db;

    public Health(Database db) {
        this.db = db;
    }

    /**
     * One line of the pane; what does not concern its source is null.
     *
     * @param sinceSeconds for how long it has been in its state
     * @param notKnown what its state cannot stand for; null where it is the whole truth
     */
    public record Line(
            String source,
            String subject,
            @Nullable String executorName,
            @Nullable String domain,
            @Nullable String lastSeenAt,
            @Nullable Long ageSeconds,
            @Nullable Long eventsSeen,
            @Nullable Long attemptsWritten,
            @Nullable Long deadLettered,
            @Nullable Long count,
            @Nullable String statusHint,
            @Nullable String state,
            @Nullable String reason,
            @Nullable Long sinceSeconds,
            @Nullable String notKnown) {}

    public List<Line> lines() {
        return db.inTx(tx -> tx.query(ROWS)
                .map((row, context) -> new Line(
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
                .list());
    }
}
