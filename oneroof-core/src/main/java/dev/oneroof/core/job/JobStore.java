package dev.oneroof.core.job;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The functions of jobs, which executors in other languages call as well. */
public final class JobStore {
    private static final String REGISTER = """
            SELECT oneroof.fn_job_kind_register(
                :kind, :domain, :description, :max_attempts, :first_backoff, :longest_backoff, :lease, :deadline,
                :max_running, :rate_count, :rate_seconds, :lag, :actor)
            """;

    private static final String PUT = """
            SELECT p.job_no, p.existing
            FROM oneroof.fn_job_put(
                :ids, coalesce(CAST(:kinds AS text[]), array_fill(CAST(:kind AS text), ARRAY[CAST(:count AS integer)])),
                CAST(:payloads AS jsonb[]), :keys, :priorities, CAST(:times AS timestamptz[]), :attempts,
                :runs, :wake) p
            """;

    // A lease that a crash of the server has lost was never there: its token is chance, and given to nobody else.
    // So nobody waits for the disk.
    private static final String LEASE = """
            SELECT l.job_id, l.job_kind, l.payload::text AS payload, l.attempt, l.max_attempts, l.lease_token,
                   l.order_at::text AS order_at, l.idempotency_key, l.run_id,
                   -- From when this was asked for, as its holder reckons: it may have waited for a lock since.
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

    // Of those that this process works on: some hundreds at most, by their ids.
    private static final String CANCELLED = "SELECT job_id FROM oneroof.fn_job_cancel_wanted(:jobs) job_id";

    // A process that stands still, or is cut off, keeps what it has locked from the others for no longer than that.
    private static final String SHORT_WAITS = """
            SELECT set_config('lock_timeout', :millis, true), set_config('idle_in_transaction_session_timeout', '5s', true)
            """;

    // A handler's transaction has the time of its handler; what keeps it from others is the token.
    private static final String IDLE_TIMEOUT =
            "SELECT set_config('idle_in_transaction_session_timeout', :millis, true)";

    private static final String CANCEL = "SELECT oneroof.fn_job_cancel(:job, :reason, :actor) ->> 'outcome'";

    private static final String RETRY_NOW = "SELECT oneroof.fn_job_retry_now(:job, :reason, :actor) ->> 'outcome'";

    // That of enqueued_at.
    private static final String NOW = "SELECT now()";

    private static final String PAUSE_KIND = "SELECT oneroof.fn_job_kind_pause(:kind, :paused, :reason, :actor)";

    /** Whether a lease is still the holder's. */
    public enum Verdict {
        HELD,
        LOST,
        /** Somebody is just changing the job: not extended, and not lost. */
        BUSY,
        /** Held, and somebody wants the job given up. */
        CANCEL
    }

    /** True when anything changed. */
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

    /** All or none, in one statement. */
    List<Enqueued> put(Tx tx, List<NewJob> jobs, boolean wake) {
        JobId[] ids = new JobId[jobs.size()];
        Arrays.setAll(ids, n -> JobId.create());
        Map<Long, UUID> existing = SqlState.explained(() -> tx.query(PUT)
                .bind("ids", Arrays.stream(ids).map(JobId::value).toArray(UUID[]::new))
                .bind("kinds", isOneKind(jobs) ? null : texts(jobs, NewJob::kind))
                .bind("kind", jobs.getFirst().kind())
                .bind("count", jobs.size())
                .bind("payloads", texts(jobs, job -> job.payload().json()))
                .bind("keys", orNone(texts(jobs, NewJob::key)))
                .bind(
                        "priorities",
                        orNone(jobs.stream()
                                .map(NewJob::priority)
                                .map(priority -> priority == 0 ? null : priority)
                                .toArray(Integer[]::new)))
                .bind(
                        "times",
                        orNone(texts(
                                jobs, job -> job.at() == null ? null : job.at().toString())))
                .bind("attempts", orNone(jobs.stream().map(NewJob::maxAttempts).toArray(Integer[]::new)))
                .bind("runs", orNone(jobs.stream().map(NewJob::run).toArray(UUID[]::new)))
                .bind("wake", wake)
                .reduceRows(new HashMap<>(), (found, row) -> {
                    found.put(row.getColumn("job_no", Long.class), row.getColumn("existing", UUID.class));
                    return found;
                }));
        List<Enqueued> enqueued = new ArrayList<>(jobs.size());
        for (int n = 0; n < ids.length; n++) {
            UUID other = existing.get(n + 1L);
            enqueued.add(new Enqueued(other == null ? ids[n] : new JobId(other), other == null));
        }
        return enqueued;
    }

    /**
     * Leases jobs that are due, the first in order.
     *
     * @param limits by kind, how many at most
     * @param floors by kind, below which nothing is looked at; a kind that is missing is looked at from its beginning
     * @param longestWait for somebody who has locked the whole table; null is as long as usual
     * @param longestPause in which the caller commits, where it does so itself: a process that stands still keeps the jobs
     *     from nobody for longer
     */
    public List<LeasedJob> lease(
            Tx tx,
            Map<String, Integer> limits,
            int limit,
            String owner,
            Map<String, String> floors,
            UUID token,
            Duration longestWait,
            Duration longestPause) {
        long now = System.nanoTime();
        List<String> kinds = List.copyOf(limits.keySet());
        return tx.plain(LEASE, statement -> {
            Connection connection = statement.getConnection();
            statement.setString(1, Long.toString(longestWait.toMillis()));
            statement.setString(2, Long.toString(longestPause.toMillis()));
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

    /** For as long as the longest of them was leased: that is what their holder reckons with. */
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

    /** Returns those that were not ours any more. */
    public Set<JobId> complete(Tx tx, Collection<LeasedJob> jobs) {
        return tx.query(COMPLETE)
                .bind("jobs", ids(jobs))
                .bind("tokens", tokens(jobs))
                .mapTo(UUID.class)
                .map(JobId::new)
                .collect(Collectors.toSet());
    }

    /**
     * Returns what becomes of it: {@code retry}, {@code dead}, {@code cancelled} or {@code lost}.
     *
     * @param after null is the kind's backoff
     */
    public String fail(
            Tx tx, LeasedJob job, String errorClass, String error, @Nullable Duration after, boolean noMore) {
        return tx.query(FAIL)
                .bind("job", job.id().value())
                .bind("token", job.token())
                .bind("class", plain(errorClass))
                .bind("error", plain(error))
                .bind("seconds", after == null ? null : seconds(after))
                .bind("final", noMore)
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

    /** What was leased with these tokens, if anything was. */
    public long handBackLeased(Tx tx, Collection<String> kinds, Collection<UUID> tokens) {
        return tx.query(HAND_BACK_LEASED)
                .bind("kinds", kinds.toArray(String[]::new))
                .bind("tokens", tokens.toArray(UUID[]::new))
                .mapTo(Long.class)
                .one();
    }

    /** In their order. How many of them are of jobs that are still ours: others are not kept. */
    public long say(Tx tx, List<JobLogLine> lines) {
        return tx.query(SAY)
                .bind("jobs", lines.stream().map(one -> one.job().id().value()).toArray(UUID[]::new))
                .bind("tokens", lines.stream().map(one -> one.job().token()).toArray(UUID[]::new))
                .bind("lines", lines.stream().map(one -> plain(one.text())).toArray(String[]::new))
                .bind("percents", lines.stream().map(one -> one.percent()).toArray(Integer[]::new))
                .mapTo(Long.class)
                .one();
    }

    /** For a lock; nor does anybody wait for this transaction for long, should it be left open. */
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

    public Set<JobId> cancelled(Tx tx, Collection<LeasedJob> jobs) {
        return tx.query(CANCELLED)
                .bind("jobs", ids(jobs))
                .mapTo(UUID.class)
                .map(JobId::new)
                .collect(Collectors.toSet());
    }

    /** Returns {@code cancelled}, {@code requested}, {@code ended} or {@code unknown}. */
    String cancel(Tx tx, JobId job, OperatorAct by) {
        return acted(tx, CANCEL, job, by);
    }

    /** Returns {@code queued} where it is due now, as it is where it was already, {@code ended} or {@code unknown}. */
    String retryNow(Tx tx, JobId job, OperatorAct by) {
        return acted(tx, RETRY_NOW, job, by);
    }

    private static String acted(Tx tx, String act, JobId job, OperatorAct by) {
        return SqlState.explained(() -> tx.query(act)
                .bind("job", job.value())
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .mapTo(String.class)
                .one());
    }

    /** When jobs that this transaction enqueues are enqueued, by the database's clock. */
    Instant now(Tx tx) {
        return tx.query(NOW).mapTo(OffsetDateTime.class).one().toInstant();
    }

    /** False where it is so already. */
    boolean pauseKind(Tx tx, String kind, boolean paused, OperatorAct by) {
        return SqlState.explained(() -> tx.query(PAUSE_KIND)
                .bind("kind", kind)
                .bind("paused", paused)
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .mapTo(Boolean.class)
                .one());
    }

    private static UUID[] ids(Collection<LeasedJob> jobs) {
        return jobs.stream().map(job -> job.id().value()).toArray(UUID[]::new);
    }

    private static UUID[] tokens(Collection<LeasedJob> jobs) {
        return jobs.stream().map(LeasedJob::token).toArray(UUID[]::new);
    }

    private static @Nullable String[] texts(List<NewJob> jobs, Function<NewJob, @Nullable String> text) {
        return jobs.stream().map(text).toArray(String[]::new);
    }

    /** Null where none of them has any: there is less to send, and to look at. */
    private static <T> @Nullable T @Nullable [] orNone(@Nullable T[] all) {
        return Arrays.stream(all).allMatch(Objects::isNull) ? null : all;
    }

    private static boolean isOneKind(List<NewJob> jobs) {
        String first = jobs.getFirst().kind();
        return jobs.stream().allMatch(job -> job.kind().equals(first));
    }

    /** No text in the database holds a NUL. */
    private static String plain(String text) {
        return text.replace('\0', ' ');
    }

    /** Too long for a number is too long for the database, which says so. */
    private static int wholeSeconds(Duration duration) {
        return (int) Math.min(Integer.MAX_VALUE, duration.toSeconds());
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
