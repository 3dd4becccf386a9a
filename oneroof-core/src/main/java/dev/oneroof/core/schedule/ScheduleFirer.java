package dev.oneroof.core.schedule;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.Enqueued;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.worker.MaintenanceTask;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.Backoff;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jdbi.v3.core.ConnectionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues the jobs of due schedules. One transaction locks the schedules, enqueues the jobs and writes the next due times:
 * other firers skip the locked rows, and after a crash at any point either all of it happened or nothing.
 *
 * <p>Lock waits are short, because the keeper has other tasks. A schedule whose job is locked by another transaction is
 * deferred: it stays due and is retried apart from the others. A schedule is stopped only if the database rejects it or its
 * times cannot be computed.
 */
public final class ScheduleFirer implements MaintenanceTask {
    private static final Logger log = LoggerFactory.getLogger(ScheduleFirer.class);
    private static final String ACTOR = "job_keeper";
    private static final int BATCH = 100;
    private static final int LARGEST_BATCH = 1000;
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration LOCKED_RETRY = Duration.ofMillis(100);
    private static final Backoff BACKOFF = Backoff.of(Duration.ofSeconds(1), Duration.ofSeconds(5));

    private final Database db;
    private final Jobs jobs;
    private final ScheduleStore store = new ScheduleStore();
    private final Map<DueSchedule.StoredRecurrence, Recurrence> parsed = new HashMap<>();
    /** By name, the schedules that could not be fired at present. */
    private final Map<String, Deferred> deferred = new HashMap<>();

    /** How often it failed, and when to retry. */
    private record Deferred(int failures, long retryNanos) {}

    /** The result of firing one schedule. */
    private enum Tried {
        FIRED,
        FAILED,
        NONE
    }

    public ScheduleFirer(Database db, Jobs jobs) {
        this.db = db;
        this.jobs = jobs;
    }

    @Override
    public Duration run() {
        boolean more = fireAll();
        retryDeferred();
        if (more) {
            return Duration.ZERO;
        }
        double seconds = db.inTx(store::untilNext).orElse(1e9);
        if (seconds <= 0) {
            // Another transaction is firing it, or has locked it.
            return LOCKED_RETRY;
        }
        return seconds >= INTERVAL.toSeconds() ? INTERVAL : Duration.ofNanos((long) (seconds * 1e9));
    }

    /** True if more may be due. */
    private boolean fireAll() {
        try {
            return db.inTx(tx -> fire(tx, BATCH));
        } catch (RuntimeException e) {
            if (isServerUnavailable(e)) {
                throw e;
            }
            // One of them cannot be fired. The others must not wait for it.
            return fireSingly();
        }
    }

    /** The next attempt would fail as well, for any schedule. */
    private static boolean isServerUnavailable(RuntimeException failure) {
        if (failure instanceof OneRoofException || SqlState.isHeldUp(failure)) {
            return false;
        }
        return failure instanceof ConnectionException || SqlState.isTransient(failure);
    }

    /** Stops at the first failure: the keeper does not wait for two locks in one pass. */
    private boolean fireSingly() {
        Tried tried = Tried.FIRED;
        for (int n = 0; n < BATCH && tried == Tried.FIRED; n++) {
            tried = fireOne(1, schedule -> !deferred.containsKey(schedule.name()));
        }
        return tried != Tried.NONE;
    }

    /** Retries the schedule that is due for it the longest. */
    private void retryDeferred() {
        long now = System.nanoTime();
        deferred.entrySet().stream()
                .filter(one -> one.getValue().retryNanos() - now <= 0)
                .min(Comparator.comparingLong(one -> one.getValue().retryNanos() - now))
                .map(Map.Entry::getKey)
                .ifPresent(name -> {
                    if (fireOne(BATCH, schedule -> schedule.name().equals(name)) == Tried.NONE) {
                        // It was fired, paused or removed by another transaction.
                        deferred.remove(name);
                    }
                });
    }

    /** @param among how many of the oldest to look at, in addition to the deferred ones */
    private Tried fireOne(int among, Predicate<DueSchedule> wanted) {
        List<DueSchedule> tried = new ArrayList<>();
        try {
            db.useTx(tx -> {
                due(tx, among).stream().filter(wanted).findFirst().ifPresent(tried::add);
                fire(tx, tried);
            });
        } catch (RuntimeException e) {
            if (isServerUnavailable(e) || tried.isEmpty()) {
                throw e;
            }
            failed(tried.getFirst(), e);
            return Tried.FAILED;
        }
        tried.forEach(schedule -> deferred.remove(schedule.name()));
        return tried.isEmpty() ? Tried.NONE : Tried.FIRED;
    }

    private void failed(DueSchedule schedule, RuntimeException failure) {
        if (failure instanceof OneRoofException || SqlState.isRefused(failure)) {
            try {
                stop(schedule, String.valueOf(failure.getMessage()));
                return;
            } catch (RuntimeException e) {
                if (isServerUnavailable(e)) {
                    throw e;
                }
                failure.addSuppressed(e);
            }
        }
        defer(schedule.name(), failure);
    }

    /** A lock may be released soon, and an unknown error is not known to be caused by the schedule. */
    private void defer(String name, RuntimeException failure) {
        Deferred before = deferred.get(name);
        int failures = before == null ? 1 : before.failures() + 1;
        Duration delay = BACKOFF.delay(failures);
        deferred.put(name, new Deferred(failures, System.nanoTime() + delay.toNanos()));
        if (failures == 1) {
            log.warn(
                    "schedule {} could not be fired; retrying in {} s: {}",
                    name,
                    delay.toSeconds(),
                    failure.getMessage());
        }
    }

    /** It would fail for ever, so an operator must fix and resume it. If its definition has changed meanwhile, it is retried. */
    private void stop(DueSchedule schedule, String why) {
        String reason = why.length() <= 120 ? why : why.substring(0, 119) + "…";
        boolean stopped = db.inTx(tx -> {
            store.limitLockWaits(tx);
            return store.stop(tx, schedule, new OperatorAct(ACTOR, "it cannot be fired: " + reason));
        });
        deferred.remove(schedule.name());
        if (stopped) {
            log.error("schedule {} is stopped because it cannot be fired: {}", schedule.name(), why);
        }
    }

    /** True if more may be due. */
    private boolean fire(Tx tx, int limit) {
        List<DueSchedule> due = due(tx, limit).stream()
                .filter(schedule -> !deferred.containsKey(schedule.name()))
                .toList();
        boolean more = fire(tx, due);
        return more || due.size() >= limit;
    }

    /** The deferred ones are among the oldest, so they come on top of the limit. */
    private List<DueSchedule> due(Tx tx, int limit) {
        store.limitLockWaits(tx);
        return store.due(tx, Math.min(LARGEST_BATCH, limit + deferred.size()));
    }

    private boolean fire(Tx tx, List<DueSchedule> due) {
        if (due.isEmpty()) {
            return false;
        }
        List<FirePlan> plans = due.stream().map(this::plan).toList();
        List<NewJob> wanted = new ArrayList<>();
        for (int n = 0; n < due.size(); n++) {
            DueSchedule schedule = due.get(n);
            Payload payload = new Payload(schedule.payload());
            plans.get(n).fired().forEach(at -> wanted.add(job(schedule, payload, at)));
        }
        List<Enqueued> enqueued = jobs.enqueueAll(tx, wanted);
        List<FireResult> fired = new ArrayList<>();
        int from = 0;
        for (int n = 0; n < due.size(); n++) {
            int to = from + plans.get(n).fired().size();
            fired.add(new FireResult(due.get(n).name(), plans.get(n), enqueued.subList(from, to)));
            from = to;
        }
        store.fired(tx, fired);
        return plans.stream().anyMatch(plan -> plan.fired().size() == FirePlan.BATCH);
    }

    private FirePlan plan(DueSchedule schedule) {
        try {
            Recurrence recurrence = parsed.computeIfAbsent(schedule.recurrence(), DueSchedule.StoredRecurrence::parse);
            return FirePlan.of(recurrence, schedule.catchUp(), schedule.due(), schedule.now());
        } catch (OneRoofException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new OneRoofException(ErrorCode.FAILED, "its times cannot be computed: " + e.getMessage(), e);
        }
    }

    private static NewJob job(DueSchedule schedule, Payload payload, Instant at) {
        String key = schedule.overlaps()
                ? "schedule:%s:%s".formatted(schedule.name(), at)
                : "schedule:%s".formatted(schedule.name());
        return new NewJob(schedule.kind(), payload, key, schedule.priority(), at, null, schedule.maxAttempts(), null);
    }
}
