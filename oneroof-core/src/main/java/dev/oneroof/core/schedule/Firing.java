package dev.oneroof.core.schedule;

import dev.oneroof.core.job.Chore;
import dev.oneroof.core.job.Enqueued;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.operator.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues the jobs of schedules whose time has come. One transaction locks the schedules, enqueues and writes down their
 * next times: whoever else tries passes them by, and after a crash at any point either all of it happened or nothing.
 */
public final class Firing implements Chore {
    private static final Logger log = LoggerFactory.getLogger(Firing.class);
    private static final String ACTOR = "job_keeper";
    private static final int BATCH = 100;
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final Duration LOCKED = Duration.ofMillis(100);

    private final Database db;
    private final Jobs jobs;
    private final ScheduleStore store = new ScheduleStore();
    private final Map<DueSchedule.Written, Timetable> read = new HashMap<>();

    public Firing(Database db, Jobs jobs) {
        this.db = db;
        this.jobs = jobs;
    }

    @Override
    public Duration run() {
        try {
            if (db.inTx(tx -> fire(tx, BATCH))) {
                return Duration.ZERO;
            }
        } catch (RuntimeException e) {
            if (isTheDatabases(e)) {
                throw e;
            }
            // One of them cannot be fired; the others are not to wait for it.
            return fireOne() ? Duration.ZERO : LONGEST;
        }
        double seconds = db.inTx(store::untilNext).orElse(1e9);
        if (seconds <= 0) {
            // Somebody else has it in hand.
            return LOCKED;
        }
        return seconds >= LONGEST.toSeconds() ? LONGEST : Duration.ofNanos((long) (seconds * 1e9));
    }

    private static boolean isTheDatabases(RuntimeException failure) {
        return !(failure instanceof OneRoofException) && SqlState.of(failure) != null && SqlState.isTransient(failure);
    }

    private boolean fireOne() {
        List<DueSchedule> tried = new ArrayList<>();
        try {
            return db.inTx(tx -> {
                List<DueSchedule> due = store.due(tx, 1);
                tried.addAll(due);
                fire(tx, due);
                return !due.isEmpty();
            });
        } catch (RuntimeException e) {
            if (isTheDatabases(e)) {
                throw e;
            }
            tried.forEach(schedule -> stop(schedule, String.valueOf(e.getMessage())));
            return !tried.isEmpty();
        }
    }

    /** It would be tried for ever: an operator mends it and lets it go on. One that was mended meanwhile is tried again. */
    private void stop(DueSchedule schedule, String why) {
        String reason = why.length() <= 120 ? why : why.substring(0, 120);
        if (db.inTx(tx -> store.stop(tx, schedule, new OperatorAct(ACTOR, "it cannot be fired: " + reason)))) {
            log.error("schedule {} is paused, it cannot be fired: {}", schedule.name(), why);
        }
    }

    /** True when there may be more. */
    private boolean fire(Tx tx, int limit) {
        List<DueSchedule> due = store.due(tx, limit);
        boolean more = fire(tx, due);
        return more || due.size() == limit;
    }

    private boolean fire(Tx tx, List<DueSchedule> due) {
        if (due.isEmpty()) {
            return false;
        }
        List<DueTimes> times = due.stream().map(this::times).toList();
        List<NewJob> wanted = new ArrayList<>();
        for (int n = 0; n < due.size(); n++) {
            DueSchedule schedule = due.get(n);
            times.get(n).fired().forEach(at -> wanted.add(job(schedule, at)));
        }
        List<Enqueued> enqueued = jobs.enqueueAll(tx, wanted);
        List<Fired> fired = new ArrayList<>();
        int from = 0;
        for (int n = 0; n < due.size(); n++) {
            int to = from + times.get(n).fired().size();
            fired.add(new Fired(due.get(n).name(), times.get(n), enqueued.subList(from, to)));
            from = to;
        }
        store.fired(tx, fired);
        return times.stream().anyMatch(one -> one.fired().size() == DueTimes.MOST);
    }

    private DueTimes times(DueSchedule schedule) {
        Timetable timetable = read.computeIfAbsent(schedule.written(), DueSchedule.Written::read);
        try {
            return DueTimes.of(timetable, schedule.catchUp(), schedule.due(), schedule.now());
        } catch (RuntimeException e) {
            throw new OneRoofException(ErrorCode.FAILED, "its times cannot be told: " + e.getMessage(), e);
        }
    }

    private static NewJob job(DueSchedule schedule, Instant at) {
        String key = schedule.overlaps()
                ? "schedule:%s:%s".formatted(schedule.name(), at)
                : "schedule:%s".formatted(schedule.name());
        return new NewJob(
                schedule.kind(), schedule.payload(), key, schedule.priority(), at, schedule.maxAttempts(), null);
    }
}
