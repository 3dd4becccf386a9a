package dev.oneroof.core.job;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Kinds of jobs, in {@code job_kind}. */
final class JobKindStore {
    private static final String REGISTER = """
            SELECT oneroof.fn_job_kind_register(
                :kind, :domain, :description, :max_attempts, :first_backoff, :longest_backoff, :lease, :deadline,
                :max_running, :rate_count, :rate_seconds, :lag, :actor)
            """;

    private static final String SET_PAUSED = "SELECT oneroof.fn_job_kind_pause(:kind, :paused, :reason, :actor)";

    private static final String IS_KNOWN = "SELECT EXISTS (SELECT FROM oneroof.job_kind WHERE job_kind = :kind)";

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

    // The heartbeat of an instance does not list the kinds that it works on.
    private static final String IS_ANY_WORKER_RUNNING = """
            SELECT EXISTS (
                SELECT
                FROM oneroof.queue_heartbeat i
                CROSS JOIN LATERAL jsonb_array_elements_text(i.metadata -> 'scopes') s (name)
                WHERE i.executor_name LIKE 'instance/%' AND i.lease_until > clock_timestamp() AND s.name LIKE 'jobs/%'
                  AND NOT jsonb_exists(i.metadata, 'drain'))
            """;

    /** True if anything changed. */
    boolean register(Tx tx, JobKind kind, String actor) {
        JobKind.Rate rate = kind.limits().rate();
        return SqlState.explained(() -> tx.query(REGISTER)
                .bind("kind", kind.name())
                .bind("domain", kind.domain())
                .bind("description", kind.description())
                .bind("max_attempts", kind.retrying().maxAttempts())
                .bind("first_backoff", seconds(kind.retrying().first()))
                .bind("longest_backoff", seconds(kind.retrying().longest()))
                .bind("lease", wholeSeconds(kind.times().lease()))
                .bind("deadline", wholeSeconds(kind.times().deadline()))
                .bind("max_running", kind.limits().running())
                .bind("rate_count", rate == null ? null : rate.count())
                .bind("rate_seconds", rate == null ? null : seconds(rate.per()))
                .bind("lag", wholeSeconds(kind.times().lag()))
                .bind("actor", actor)
                .mapTo(Boolean.class)
                .one());
    }

    /** False if that is its state already. */
    boolean setPaused(Tx tx, String kind, boolean paused, OperatorAct by) {
        return SqlState.explained(() -> tx.query(SET_PAUSED)
                .bind("kind", kind)
                .bind("paused", paused)
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .mapTo(Boolean.class)
                .one());
    }

    boolean isKnown(Tx tx, String kind) {
        return tx.query(IS_KNOWN).bind("kind", kind).mapTo(Boolean.class).one();
    }

    List<JobKindReport.Kind> list(Tx tx) {
        return tx.query(LIST)
                .map((row, context) -> new JobKindReport.Kind(
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
                .list();
    }

    /** Empty if the kind is not paused. */
    Optional<JobKindReport.Pause> pause(Tx tx, String kind) {
        return tx.query(PAUSE)
                .bind("kind", kind)
                .map((row, context) ->
                        new JobKindReport.Pause(row.getString("pause_actor"), row.getString("pause_reason")))
                .findOne();
    }

    /** Whether any instance runs a job worker and is not draining. */
    boolean isAnyWorkerRunning(Tx tx) {
        return tx.query(IS_ANY_WORKER_RUNNING).mapTo(Boolean.class).one();
    }

    /** What overflows is too long for the database as well, which refuses it. */
    private static int wholeSeconds(Duration duration) {
        return (int) Math.min(Integer.MAX_VALUE, duration.toSeconds());
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
