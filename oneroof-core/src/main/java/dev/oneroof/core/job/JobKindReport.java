package dev.oneroof.core.job;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Kinds of jobs as operators see them. */
public final class JobKindReport {
    private static final String LIST = """
            SELECT k.job_kind, k.event_domain, k.description, k.max_attempts, k.lease_seconds, k.deadline_seconds,
                   k.max_running, k.rate_count, k.rate_seconds, b.queued, b.leased, coalesce(l.scheduled, 0) AS scheduled,
                   b.oldest_due_at::text AS oldest_due_at, k.paused_at::text AS paused_at, k.pause_actor, k.pause_reason
            FROM oneroof.job_kind k
            JOIN oneroof.v_job_backlog b USING (job_kind)
            LEFT JOIN oneroof.fn_job_later() l USING (job_kind)
            ORDER BY k.job_kind
            """;

    private static final String PAUSE = """
            SELECT pause_actor, pause_reason
            FROM oneroof.job_kind
            WHERE job_kind = :kind AND paused_at IS NOT NULL
            """;

    // Which kinds an instance does is known to itself only.
    private static final String IS_DONE_BY_ANYBODY = """
            SELECT EXISTS (
                SELECT
                FROM oneroof.queue_heartbeat i
                CROSS JOIN LATERAL jsonb_array_elements_text(i.metadata -> 'scopes') s (name)
                WHERE i.executor_name LIKE 'instance/%' AND i.lease_until > clock_timestamp() AND s.name LIKE 'jobs/%'
                  AND NOT jsonb_exists(i.metadata, 'drain'))
            """;

    private final Database db;

    public JobKindReport(Database db) {
        this.db = db;
    }

    /**
     * A kind, and what there is of it.
     *
     * @param maxRunning at most so many at once; null where there is no limit, as of the rate
     * @param queued what is due, counted up to a little over ten thousand
     * @param scheduled what is for later or between two attempts, of the first ten thousand of all kinds
     */
    public record Kind(
            String kind,
            String domain,
            String description,
            int maxAttempts,
            int leaseSeconds,
            int deadlineSeconds,
            @Nullable Integer maxRunning,
            @Nullable Integer rateCount,
            @Nullable Double rateSeconds,
            long queued,
            long leased,
            long scheduled,
            @Nullable String oldestDueAt,
            @Nullable String pausedAt,
            @Nullable String pauseActor,
            @Nullable String pauseReason) {}

    /** Who has paused a kind, and why. */
    public record Pause(String actor, String reason) {}

    public List<Kind> list() {
        return db.inTx(tx -> tx.query(LIST)
                .map((row, context) -> new Kind(
                        row.getString("job_kind"),
                        row.getString("event_domain"),
                        row.getString("description"),
                        row.getInt("max_attempts"),
                        row.getInt("lease_seconds"),
                        row.getInt("deadline_seconds"),
                        row.getObject("max_running", Integer.class),
                        row.getObject("rate_count", Integer.class),
                        row.getObject("rate_seconds", Double.class),
                        row.getLong("queued"),
                        row.getLong("leased"),
                        row.getLong("scheduled"),
                        row.getString("oldest_due_at"),
                        row.getString("paused_at"),
                        row.getString("pause_actor"),
                        row.getString("pause_reason")))
                .list());
    }

    /** Why a job of this kind would wait though it is due; nothing where no reason can be seen. */
    public List<String> obstacles(String kind) {
        return db.inTx(tx -> {
            List<String> found = new ArrayList<>();
            new GateStore().whyClosed(tx, Gates.JOBS).ifPresent(found::add);
            pause(tx, kind)
                    .map(pause -> "the kind is paused by %s: %s".formatted(pause.actor(), pause.reason()))
                    .ifPresent(found::add);
            if (!isDoneByAnybody(tx)) {
                found.add("no instance is running that does jobs");
            }
            return found;
        });
    }

    /** Nothing where it is not paused. */
    public Optional<Pause> pause(String kind) {
        return db.inTx(tx -> pause(tx, kind));
    }

    private static Optional<Pause> pause(Tx tx, String kind) {
        return tx.query(PAUSE)
                .bind("kind", kind)
                .map((row, context) -> new Pause(row.getString("pause_actor"), row.getString("pause_reason")))
                .findOne();
    }

    private static boolean isDoneByAnybody(Tx tx) {
        return tx.query(IS_DONE_BY_ANYBODY).mapTo(Boolean.class).one();
    }
}
