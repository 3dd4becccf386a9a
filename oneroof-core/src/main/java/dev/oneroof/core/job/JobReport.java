package dev.oneroof.core.job;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Jobs as operators see them, alive or ended. */
public final class JobReport {
    // Ids are made in the order of time: the newest come first, by the index that each part has.
    private static final String LIST = """
            SELECT job_id, job_kind, event_domain, state, priority, scheduled_at::text AS scheduled_at,
                   enqueued_at::text AS enqueued_at, attempts, max_attempts, idempotency_key, run_id, lease_owner,
                   leased_at::text AS leased_at, lease_until::text AS lease_until, finished_at::text AS finished_at,
                   cancel_requested_at IS NOT NULL AS cancelling, last_error, payload::text AS payload
            FROM oneroof.v_job
            WHERE (CAST(:id AS uuid) IS NULL OR job_id = :id)
              AND (CAST(:kind AS text) IS NULL OR job_kind = :kind)
              AND (CAST(:state AS text) IS NULL OR state = :state)
              -- Whoever asks for a state that is an end has what is alive left out.
              AND (CAST(:state AS text) IN ('succeeded', 'failed', 'cancelled') IS NOT TRUE OR finished_at IS NOT NULL)
              AND (CAST(:before AS uuid) IS NULL OR job_id < :before)
            ORDER BY job_id DESC
            LIMIT :limit
            """;

    // Of a kind that is rare, all that has ended is looked through: an index would cost everybody who ends a job.
    private static final String TIMEOUT = "SELECT set_config('statement_timeout', :millis, true)";

    private static final String ONE = LIST.replace("(CAST(:id AS uuid) IS NULL OR job_id = :id)", "job_id = :id");

    private static final String LINES = """
            SELECT said_at::text AS said_at, attempt, level, line, percent, left_out
            FROM (
                SELECT * FROM oneroof.job_log WHERE job_id = :id ORDER BY log_id DESC LIMIT 50) l
            ORDER BY log_id
            """;

    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final Database db;
    private final Duration longest;

    public JobReport(Database db) {
        this(db, LONGEST);
    }

    /** @param longest what a list may take */
    JobReport(Database db, Duration longest) {
        this.db = db;
        this.longest = longest;
    }

    /** A job; what does not concern its state is null. */
    public record Shown(
            String id,
            String kind,
            String domain,
            String state,
            int priority,
            String scheduledAt,
            String enqueuedAt,
            int attempts,
            int maxAttempts,
            @Nullable String key,
            @Nullable String run,
            @Nullable String leaseOwner,
            @Nullable String leasedAt,
            @Nullable String leaseUntil,
            @Nullable String finishedAt,
            boolean cancelling,
            @Nullable String lastError,
            String payload) {}

    /**
     * What a handler said.
     *
     * @param percent how far it was; where lines are left out, by the last of them that told
     * @param leftOut how many lines before this one are left out, since the attempt had said more than are kept
     */
    public record Line(
            String at,
            int attempt,
            String level,
            String line,
            @Nullable Integer percent,
            int leftOut) {}

    public record Story(Shown job, List<Line> lines) {}

    /**
     * The newest first.
     *
     * @param before older than this one
     */
    public List<Shown> list(@Nullable String kind, @Nullable JobState state, @Nullable JobId before, int limit) {
        return db.inTx(tx -> {
            if (kind != null && !isKind(tx, kind)) {
                throw new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "kind: '%s' is not registered; 'oneroof job kinds' has those that are".formatted(kind));
            }
            tx.query(TIMEOUT)
                    .bind("millis", Long.toString(longest.toMillis()))
                    .mapTo(String.class)
                    .one();
            try {
                return find(tx, LIST, null, kind, state, before, limit);
            } catch (JdbiException e) {
                throw SqlState.isTimeout(e) ? tooMany(e) : e;
            }
        });
    }

    private OneRoofException tooMany(JdbiException cause) {
        return new OneRoofException(
                ErrorCode.FAILED,
                "job list: the look through all jobs took longer than %d s; a state (failed, cancelled, leased) narrows it"
                        .formatted(longest.toSeconds()),
                cause);
    }

    public Story show(JobId id) {
        return db.inTx(tx -> new Story(
                find(tx, ONE, id, null, null, null, 1).stream()
                        .findFirst()
                        .orElseThrow(() -> new OneRoofException(
                                ErrorCode.NOT_FOUND,
                                "job: there is no '%s'; ended ones are kept for some days".formatted(id))),
                tx.query(LINES)
                        .bind("id", id.value())
                        .map((row, context) -> new Line(
                                row.getString("said_at"),
                                row.getInt("attempt"),
                                row.getString("level"),
                                row.getString("line"),
                                row.getObject("percent", Integer.class),
                                row.getInt("left_out")))
                        .list()));
    }

    private static boolean isKind(Tx tx, String kind) {
        return tx.query("SELECT EXISTS (SELECT FROM oneroof.job_kind WHERE job_kind = :kind)")
                .bind("kind", kind)
                .mapTo(Boolean.class)
                .one();
    }

    private static List<Shown> find(
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

    private static Shown shown(ResultSet row) throws SQLException {
        UUID run = row.getObject("run_id", UUID.class);
        return new Shown(
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
