package dev.oneroof.core.job;

import dev.oneroof.postgres.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads jobs and their log lines for {@link JobReport}. */
final class JobReportStore {
    // Ids are in the order of time: the newest come first, by the index of each partition.
    private static final String LIST = """
            SELECT job_id, job_kind, event_domain, state, priority, scheduled_at::text AS scheduled_at,
                   enqueued_at::text AS enqueued_at, attempts, max_attempts, idempotency_key, run_id, lease_owner,
                   leased_at::text AS leased_at, lease_until::text AS lease_until, finished_at::text AS finished_at,
                   cancel_requested_at IS NOT NULL AS cancelling, last_error, payload::text AS payload
            FROM oneroof.v_job
            WHERE (CAST(:id AS uuid) IS NULL OR job_id = :id)
              AND (CAST(:kind AS text) IS NULL OR job_kind = :kind)
              AND (CAST(:state AS text) IS NULL OR state = :state)
              -- A final state leaves out the table of live jobs.
              AND (CAST(:state AS text) IN ('succeeded', 'failed', 'cancelled') IS NOT TRUE OR finished_at IS NOT NULL)
              AND (CAST(:before AS uuid) IS NULL OR job_id < :before)
            ORDER BY job_id DESC
            LIMIT :limit
            """;

    private static final String ONE = LIST.replace("(CAST(:id AS uuid) IS NULL OR job_id = :id)", "job_id = :id");

    // For a rare kind the whole history is read: an index would slow down the end of every job.
    private static final String TIMEOUT = "SELECT set_config('statement_timeout', :millis, true)";

    private static final String LINES = """
            SELECT said_at::text AS said_at, attempt, level, line, percent, left_out
            FROM (
                SELECT * FROM oneroof.job_log WHERE job_id = :id ORDER BY log_id DESC LIMIT 50) l
            ORDER BY log_id
            """;

    /** Limits every statement of the transaction to this time. */
    void limitTo(Tx tx, Duration time) {
        tx.query(TIMEOUT)
                .bind("millis", Long.toString(time.toMillis()))
                .mapTo(String.class)
                .one();
    }

    /** The newest first; null does not filter. */
    List<JobReport.Shown> list(
            Tx tx, @Nullable String kind, @Nullable JobState state, @Nullable JobId before, int limit) {
        return find(tx, LIST, null, kind, state, before, limit);
    }

    Optional<JobReport.Shown> find(Tx tx, JobId id) {
        return find(tx, ONE, id, null, null, null, 1).stream().findFirst();
    }

    /** The last 50 lines of a job, the oldest first. */
    List<JobReport.Line> lines(Tx tx, JobId id) {
        return tx.query(LINES)
                .bind("id", id.value())
                .map((row, context) -> new JobReport.Line(
                        row.getString("said_at"),
                        row.getInt("attempt"),
                        row.getString("level"),
                        row.getString("line"),
                        row.getObject("percent", Integer.class),
                        row.getInt("left_out")))
                .list();
    }

    private static List<JobReport.Shown> find(
            Tx tx,
            String sql,
            @Nullable JobId id,
            @Nullable String kind,
            @Nullable JobState state,
            @Nullable JobId before,
            int limit) {
        return tx.query(sql)
                .bind("id", id == null ? null : id.value())
                .bind("kind", kind)
                .bind("state", state == null ? null : state.sql())
                .bind("before", before == null ? null : before.value())
                .bind("limit", limit)
                .map((row, context) -> shown(row))
                .list();
    }

    private static JobReport.Shown shown(ResultSet row) throws SQLException {
        UUID run = row.getObject("run_id", UUID.class);
        return new JobReport.Shown(
                row.getString("job_id"),
                row.getString("job_kind"),
                row.getString("event_domain"),
                row.getString("state"),
                row.getInt("priority"),
                row.getString("scheduled_at"),
                row.getString("enqueued_at"),
                row.getInt("attempts"),
                row.getInt("max_attempts"),
                row.getString("idempotency_key"),
                run == null ? null : run.toString(),
                row.getString("lease_owner"),
                row.getString("leased_at"),
                row.getString("lease_until"),
                row.getString("finished_at"),
                row.getBoolean("cancelling"),
                row.getString("last_error"),
                row.getString("payload"));
    }
}
