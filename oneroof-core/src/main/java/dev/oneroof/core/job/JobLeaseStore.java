package dev.oneroof.core.job;

import dev.oneroof.postgres.Tx;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Leases jobs and changes leased ones, by the functions that executors in other languages call as well. */
public final class JobLeaseStore {
    // A lease that a crash of the server loses leaves no trace: its token is random, and never issued again.
    // So the commit does not wait for the disk.
    private static final String LEASE = """
            SELECT l.job_id, l.job_kind, l.payload::text AS payload, l.attempt, l.max_attempts, l.lease_token,
                   l.order_at::text AS order_at, l.idempotency_key, l.run_id,
                   -- From the start of the statement, as the holder counts: it may have waited for a lock since.
                   (extract(epoch FROM l.lease_until - statement_timestamp()) * 1e9)::bigint AS lease_nanos
            FROM (SELECT set_config('synchronous_commit', 'off', true),
                         set_config('lock_timeout', ?, true),
                         set_config('idle_in_transaction_session_timeout', ?, true)) s
            CROSS JOIN LATERAL oneroof.fn_job_lease(?, ?, ?, NULL, ?, CAST(? AS timestamptz[]), ?) l
            ORDER BY l.order_at
            """;

    private static final String EXTEND =
            "SELECT e.job_id, e.lease_token, e.verdict FROM oneroof.fn_job_extend(:jobs, :tokens, :seconds) e";

    private static final String COMPLETE = "SELECT unnest(oneroof.fn_job_complete_many(:jobs, :tokens))";

    private static final String FAIL =
            "SELECT oneroof.fn_job_fail(:job, :token, :class, :error, :seconds, :final) ->> 'outcome'";

    private static final String SNOOZE = "SELECT oneroof.fn_job_snooze(:job, :token, :seconds)";

    private static final String GIVE_UP = "SELECT oneroof.fn_job_give_up(:job, :token, :reason)";

    private static final String HAND_BACK = "SELECT oneroof.fn_job_hand_back(:jobs, :tokens)";

    private static final String HAND_BACK_LEASED = "SELECT oneroof.fn_job_hand_back_leased(:kinds, :tokens)";

    private static final String SAY = """
            SELECT count(*) FILTER (WHERE oneroof.fn_job_say(l.job, l.token, l.line, 'info', l.percent))
            FROM unnest(CAST(:jobs AS uuid[]), CAST(:tokens AS uuid[]), CAST(:lines AS text[]), CAST(:percents AS integer[]))
                 l (job, token, line, percent)
            """;

    // Of the jobs in flight of this process: some hundreds at most, by their ids.
    private static final String CANCELLED = "SELECT job_id FROM oneroof.fn_job_cancel_wanted(:jobs) job_id";

    // A process that hangs or loses its network keeps its rows locked for no longer.
    private static final String SHORT_WAITS = """
            SELECT set_config('lock_timeout', :millis, true), set_config('idle_in_transaction_session_timeout', '5s', true)
            """;

    // A handler's transaction may idle as long as its handler may run; the token fences it.
    private static final String IDLE_TIMEOUT =
            "SELECT set_config('idle_in_transaction_session_timeout', :millis, true)";

    /** Whether a lease is still held. */
    public enum Verdict {
        HELD,
        LOST,
        /** Another transaction has locked the job: not extended, and not lost. */
        BUSY,
        /** Held, and a cancel of the job was requested. */
        CANCEL
    }

    /**
     * Leases jobs that are due, the first in order.
     *
     * @param limits by kind, how many at most
     * @param floors by kind, where the scan starts; a kind without one is scanned from the start
     * @param lockTimeout how long to wait for a lock on the table
     * @param idleTimeout within which the caller commits: a process that hangs keeps the rows locked for no longer
     */
    public List<LeasedJob> lease(
            Tx tx,
            Map<String, Integer> limits,
            int limit,
            String owner,
            Map<String, String> floors,
            UUID token,
            Duration lockTimeout,
            Duration idleTimeout) {
        long now = System.nanoTime();
        List<String> kinds = List.copyOf(limits.keySet());
        return tx.plain(LEASE, statement -> {
            Connection connection = statement.getConnection();
            statement.setString(1, Long.toString(lockTimeout.toMillis()));
            statement.setString(2, Long.toString(idleTimeout.toMillis()));
            statement.setArray(3, connection.createArrayOf("text", kinds.toArray()));
            statement.setInt(4, limit);
            statement.setString(5, owner);
            statement.setArray(
                    6,
                    connection.createArrayOf(
                            "int4", kinds.stream().map(limits::get).toArray()));
            statement.setArray(
                    7,
                    connection.createArrayOf(
                            "text", kinds.stream().map(floors::get).toArray()));
            statement.setObject(8, token);
            List<LeasedJob> leased = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    leased.add(leased(rows, now));
                }
            }
            return leased;
        });
    }

    private static LeasedJob leased(ResultSet row, long askedNanos) throws SQLException {
        return new LeasedJob(
                new JobId(row.getObject(1, UUID.class)),
                row.getString(2),
                row.getString(3),
                row.getInt(4),
                row.getInt(5),
                row.getObject(6, UUID.class),
                row.getString(7),
                row.getString(8),
                row.getObject(9, UUID.class),
                askedNanos,
                row.getLong(10));
    }

    /** By the longest lease time among them, so that none gets less than its holder counts on. */
    public Map<LeasedJob.Key, Verdict> extend(Tx tx, Collection<LeasedJob> jobs) {
        return tx.query(EXTEND)
                .bind("jobs", ids(jobs))
                .bind("tokens", tokens(jobs))
                .bind("seconds", longest(jobs))
                .reduceRows(new HashMap<>(), (verdicts, row) -> {
                    verdicts.put(
                            new LeasedJob.Key(
                                    new JobId(row.getColumn("job_id", UUID.class)),
                                    row.getColumn("lease_token", UUID.class)),
                            switch (row.getColumn("verdict", String.class)) {
                                case "held" -> Verdict.HELD;
                                case "cancel" -> Verdict.CANCEL;
                                case "busy" -> Verdict.BUSY;
                                default -> Verdict.LOST;
                            });
                    return verdicts;
                });
    }

    private static int longest(Collection<LeasedJob> jobs) {
        long nanos = jobs.stream().mapToLong(LeasedJob::leaseNanos).max().orElse(0);
        return (int) Math.clamp(Math.round(nanos / 1e9), 1L, 3600L);
    }

    /** Returns those whose lease was lost. */
    public Set<JobId> complete(Tx tx, Collection<LeasedJob> jobs) {
        return tx.query(COMPLETE)
                .bind("jobs", ids(jobs))
                .bind("tokens", tokens(jobs))
                .mapTo(UUID.class)
                .map(JobId::new)
                .collect(Collectors.toSet());
    }

    /**
     * Returns the result: {@code retry}, {@code dead}, {@code cancelled} or {@code lost}.
     *
     * @param after null is the kind's backoff
     */
    public String fail(
            Tx tx, LeasedJob job, String errorClass, String error, @Nullable Duration after, boolean isFinal) {
        return tx.query(FAIL)
                .bind("job", job.id().value())
                .bind("token", job.token())
                .bind("class", plain(errorClass))
                .bind("error", plain(error))
                .bind("seconds", after == null ? null : seconds(after))
                .bind("final", isFinal)
                .mapTo(String.class)
                .one();
    }

    public boolean snooze(Tx tx, LeasedJob job, Duration time) {
        return tx.query(SNOOZE)
                .bind("job", job.id().value())
                .bind("token", job.token())
                .bind("seconds", seconds(time))
                .mapTo(Boolean.class)
                .one();
    }

    public boolean giveUp(Tx tx, LeasedJob job, String reason) {
        return tx.query(GIVE_UP)
                .bind("job", job.id().value())
                .bind("token", job.token())
                .bind("reason", plain(reason))
                .mapTo(Boolean.class)
                .one();
    }

    public long handBack(Tx tx, Collection<LeasedJob> jobs) {
        return tx.query(HAND_BACK)
                .bind("jobs", ids(jobs))
                .bind("tokens", tokens(jobs))
                .mapTo(Long.class)
                .one();
    }

    /** Hands back the jobs that were leased with these tokens, if any, and returns their number. */
    public long handBackLeased(Tx tx, Collection<String> kinds, Collection<UUID> tokens) {
        return tx.query(HAND_BACK_LEASED)
                .bind("kinds", kinds.toArray(String[]::new))
                .bind("tokens", tokens.toArray(UUID[]::new))
                .mapTo(Long.class)
                .one();
    }

    /** Writes lines in their order, and returns how many. Lines of jobs whose lease was lost are skipped. */
    public long say(Tx tx, List<JobLogLine> lines) {
        return tx.query(SAY)
                .bind("jobs", lines.stream().map(one -> one.job().id().value()).toArray(UUID[]::new))
                .bind("tokens", lines.stream().map(one -> one.job().token()).toArray(UUID[]::new))
                .bind("lines", lines.stream().map(one -> plain(one.text())).toArray(String[]::new))
                .bind("percents", lines.stream().map(one -> one.percent()).toArray(Integer[]::new))
                .mapTo(Long.class)
                .one();
    }

    /** Sets the lock timeout, and a short idle timeout so that the locks of this transaction are released if it is left open. */
    public void waitNoLongerThan(Tx tx, Duration time) {
        tx.query(SHORT_WAITS)
                .bind("millis", Long.toString(time.toMillis()))
                .mapTo(String.class)
                .one();
    }

    public void mayIdleFor(Tx tx, Duration time) {
        tx.query(IDLE_TIMEOUT)
                .bind("millis", Long.toString(time.toMillis()))
                .mapTo(String.class)
                .one();
    }

    /** Those with a requested cancel. */
    public Set<JobId> cancelled(Tx tx, Collection<LeasedJob> jobs) {
        return tx.query(CANCELLED)
                .bind("jobs", ids(jobs))
                .mapTo(UUID.class)
                .map(JobId::new)
                .collect(Collectors.toSet());
    }

    private static UUID[] ids(Collection<LeasedJob> jobs) {
        return jobs.stream().map(job -> job.id().value()).toArray(UUID[]::new);
    }

    private static UUID[] tokens(Collection<LeasedJob> jobs) {
        return jobs.stream().map(LeasedJob::token).toArray(UUID[]::new);
    }

    /** A text in the database cannot hold a NUL. */
    private static String plain(String text) {
        return text.replace('\0', ' ');
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
