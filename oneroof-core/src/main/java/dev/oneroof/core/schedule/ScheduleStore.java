package dev.oneroof.core.schedule;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Schedules, in {@code job_schedule}. */
final class ScheduleStore {
    private static final String NOW = "SELECT clock_timestamp()";

    private static final String PUT = """
            SELECT oneroof.fn_job_schedule_put(
                :name, :kind, :cron, :zone, :every, :first, :next, :catch_up, :may_overlap, CAST(:payload AS jsonb),
                :priority, :max_attempts, :replace, :actor)
            """;

    private static final String LOCK_TIMEOUT = "SELECT set_config('lock_timeout', '200', true)";

    private static final String DUE = "SELECT * FROM oneroof.fn_job_schedule_due(:limit)";

    private static final String FIRED = """
            SELECT oneroof.fn_job_schedule_fired(
                :names, CAST(:nexts AS timestamptz[]), CAST(:lasts AS timestamptz[]), :jobs, :fired, :missed, :overlapped)
            """;

    private static final String UNTIL_NEXT = "SELECT oneroof.fn_job_schedule_until_due()";

    private static final String IS_ANY_KEEPER_RUNNING = """
            SELECT EXISTS (
                SELECT
                FROM oneroof.queue_heartbeat
                WHERE executor_name LIKE 'instance/%' AND lease_until > clock_timestamp()
                  AND jsonb_exists(metadata -> 'scopes', 'job_keeper/job_queue/0') AND NOT jsonb_exists(metadata, 'drain'))
            """;

    private static final String PAUSE = "SELECT oneroof.fn_job_schedule_pause(:name, :reason, :actor)";

    private static final String STOP = "SELECT oneroof.fn_job_schedule_stop(:name, :version, :reason, :actor)";

    private static final String RESUME =
            "SELECT oneroof.fn_job_schedule_resume(:name, :next, :reason, :actor, :version)";

    private static final String REMOVE =
            "SELECT true FROM (SELECT oneroof.fn_job_schedule_remove(:name, :reason, :actor)) r";

    private static final String LIST = """
            SELECT s.*, clock_timestamp() AS seen_at
            FROM oneroof.job_schedule s
            WHERE CAST(:name AS text) IS NULL OR s.schedule_name = :name
            ORDER BY s.schedule_name
            """;

    Instant now(Tx tx) {
        return tx.query(NOW).mapTo(OffsetDateTime.class).one().toInstant();
    }

    /** Returns {@code added}, {@code changed} or {@code same}. */
    String put(Tx tx, Schedule schedule, Instant next, boolean replace, String actor) {
        CronExpression cron = schedule.recurrence() instanceof CronExpression one ? one : null;
        FixedInterval interval = schedule.recurrence() instanceof FixedInterval one ? one : null;
        return SqlState.explained(() -> tx.query(PUT)
                .bind("name", schedule.name())
                .bind("kind", schedule.kind())
                .bind("cron", cron == null ? null : cron.expression())
                .bind("zone", cron == null ? null : cron.zone())
                .bind(
                        "every",
                        interval == null
                                ? null
                                : Math.toIntExact(interval.every().toSeconds()))
                .bind("first", interval == null ? null : time(interval.first()))
                .bind("next", time(next))
                .bind("catch_up", schedule.catchUp().word())
                .bind("may_overlap", schedule.overlaps())
                .bind("payload", schedule.payload().json())
                .bind("priority", schedule.priority())
                .bind("max_attempts", schedule.maxAttempts())
                .bind("replace", replace)
                .bind("actor", actor)
                .mapTo(String.class)
                .one());
    }

    /** Fails after 200 ms instead of waiting for a row that another transaction has locked. */
    void limitLockWaits(Tx tx) {
        tx.query(LOCK_TIMEOUT).mapTo(String.class).one();
    }

    /** Locked until the transaction ends; those that another transaction has locked are skipped. */
    List<DueSchedule> due(Tx tx, int limit) {
        return tx.query(DUE)
                .bind("limit", limit)
                .map((row, context) -> DueSchedule.of(row))
                .list();
    }

    void fired(Tx tx, List<FireResult> all) {
        SqlState.explained(() -> tx.query(FIRED)
                .bind("names", of(all, FireResult::name).toArray(String[]::new))
                .bind("nexts", of(all, fired -> text(fired.plan().next())).toArray(String[]::new))
                .bind("lasts", of(all, fired -> text(fired.last())).toArray(String[]::new))
                .bind("jobs", of(all, FireResult::lastJob).toArray(UUID[]::new))
                .bind("fired", of(all, FireResult::jobs).toArray(Integer[]::new))
                .bind("missed", of(all, fired -> fired.plan().missed()).toArray(Integer[]::new))
                .bind("overlapped", of(all, FireResult::overlapped).toArray(Integer[]::new))
                .mapTo(Integer.class)
                .one());
    }

    /** In how many seconds the next schedule is due; empty if there is none. */
    Optional<Double> untilNext(Tx tx) {
        return tx.query(UNTIL_NEXT).mapTo(Double.class).findOne();
    }

    /** Whether an instance maintains the queue and is not draining. */
    boolean isAnyKeeperRunning(Tx tx) {
        return tx.query(IS_ANY_KEEPER_RUNNING).mapTo(Boolean.class).one();
    }

    boolean pause(Tx tx, String name, OperatorAct by) {
        return SqlState.explained(() -> tx.query(PAUSE)
                .bind("name", name)
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .mapTo(Boolean.class)
                .one());
    }

    /** False if its definition has changed meanwhile, or it is paused already. */
    boolean stop(Tx tx, DueSchedule schedule, OperatorAct by) {
        return SqlState.explained(() -> tx.query(STOP)
                .bind("name", schedule.name())
                .bind("version", schedule.version())
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .mapTo(Boolean.class)
                .one());
    }

    /** @param next computed from this definition of the schedule */
    boolean resume(Tx tx, ScheduleView schedule, @Nullable Instant next, OperatorAct by) {
        return SqlState.explained(() -> tx.query(RESUME)
                .bind("name", schedule.name())
                .bind("version", schedule.version())
                .bind("next", time(next))
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .mapTo(Boolean.class)
                .one());
    }

    void remove(Tx tx, String name, OperatorAct by) {
        SqlState.explained(() -> tx.query(REMOVE)
                .bind("name", name)
                .bind("reason", by.reason())
                .bind("actor", by.actor())
                .mapTo(Boolean.class)
                .one());
    }

    /** @param name null is all */
    List<ScheduleView> list(Tx tx, @Nullable String name) {
        return tx.query(LIST)
                .bind("name", name)
                .map((row, context) -> ScheduleView.of(row))
                .list();
    }

    private static <T> List<T> of(List<FireResult> all, Function<FireResult, T> what) {
        return all.stream().map(what).toList();
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
