package dev.oneroof.core.job.worker;

import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The maintenance functions of the queue, which other executors may call as well. */
final class JobKeeperStore {
    private static final String REAP = """
            SELECT (oneroof.fn_job_lease_reaper(
                :limit, :actor, clock_timestamp() - make_interval(secs => CAST(:reach AS double precision))) ->> 'reaped')::integer
            """;

    private static final String PROMOTE = """
            SELECT oneroof.fn_job_promote(
                :limit, true, clock_timestamp() - make_interval(secs => CAST(:reach AS double precision)))
            """;

    // Asked after a promotion: what was due earlier is promoted, or locked by another transaction.
    private static final String NEXT_DUE = "SELECT oneroof.fn_job_until_due(clock_timestamp() - interval '10 seconds')";

    private static final String DROP_CLOSED = """
            SELECT oneroof.fn_job_dead_letter_drop(make_interval(
                days => greatest(1, coalesce(oneroof.fn_setting_number('queue.jobs.dead_letter_days'), 90))::integer), :actor)
            """;

    private static final String CHECK_LETTERS =
            "SELECT NOT (oneroof.fn_job_dead_letter_check(:overflow_at) ->> 'inert')::boolean";

    private static final String ANY_KIND = "SELECT EXISTS (SELECT FROM oneroof.job_kind)";

    private static final String ENSURE_PARTITIONS = "SELECT oneroof.fn_job_partitions_ensure()";

    private static final String DROP_PARTITIONS = """
            SELECT oneroof.fn_job_partitions_drop(make_interval(
                days => greatest(1, coalesce(oneroof.fn_setting_number('queue.jobs.history_days'), 7))::integer), :actor)
            """;

    private static final String LOCK_TIMEOUT = "SELECT set_config('lock_timeout', '1000', true)";

    /**
     * Takes back jobs whose lease has expired, and returns their number.
     *
     * @param reach only leases that expired within this time; null is all
     */
    int reap(Tx tx, int limit, String actor, @Nullable Duration reach) {
        return tx.query(REAP)
                .bind("limit", limit)
                .bind("actor", actor)
                .bind("reach", seconds(reach))
                .mapTo(Integer.class)
                .one();
    }

    /**
     * Queues scheduled jobs that are due, and returns their number.
     *
     * @param reach only jobs that became due within this time; null is all
     */
    int promote(Tx tx, int limit, @Nullable Duration reach) {
        return tx.query(PROMOTE)
                .bind("limit", limit)
                .bind("reach", seconds(reach))
                .mapTo(Integer.class)
                .one();
    }

    /** In how many seconds the next scheduled job is due; null if there is none. */
    @Nullable
    Double nextDueIn(Tx tx) {
        return tx.query(NEXT_DUE).mapTo(Double.class).findOne().orElse(null);
    }

    int ensurePartitions(Tx tx) {
        return tx.query(ENSURE_PARTITIONS).mapTo(Integer.class).one();
    }

    List<String> dropPartitions(Tx tx, String actor) {
        return tx.query(DROP_PARTITIONS)
                .bind("actor", actor)
                .mapTo(String.class)
                .list();
    }

    long dropClosedLetters(Tx tx, String actor) {
        return tx.query(DROP_CLOSED).bind("actor", actor).mapTo(Long.class).one();
    }

    /** Raises and resolves the findings of dead letters; false while another transaction does. */
    boolean checkLetters(Tx tx, long overflowAt) {
        return tx.query(CHECK_LETTERS)
                .bind("overflow_at", overflowAt)
                .mapTo(Boolean.class)
                .one();
    }

    boolean isAnyKindKnown(Tx tx) {
        return tx.query(ANY_KIND).mapTo(Boolean.class).one();
    }

    void limitLockWaits(Tx tx) {
        tx.query(LOCK_TIMEOUT).mapTo(String.class).one();
    }

    private static @Nullable Double seconds(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis() / 1000.0;
    }
}
