package dev.oneroof.core.schedule;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.Enqueued;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.worker.Chore;
import dev.oneroof.core.signal.Payload;
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
 * Enqueues the jobs of schedules whose time has come. One transaction locks the schedules, enqueues and writes down their
 * next times: whoever else tries passes them by, and after a crash at any point either all of it happened or nothing.
 *
 * <p>It waits for nobody for long: the keeper has other things to do. A schedule whose job somebody's open transaction is just
 * changing is set aside, stays due, and is tried again apart from the others. Only one that the database refuses, or whose
 * times cannot be told, is stopped.
 */
public final class Firing implements Chore {
    private static final Logger log = LoggerFactory.getLogger(Firing.class);
    private static final String ACTOR = "job_keeper";
    private static final int BATCH = 100;
    private static final int MOST = 1000;
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final Duration LOCKED = Duration.ofMillis(100);
    private static final Duration LONGEST_ASIDE = Duration.ofSeconds(5);

    private final Database db;
    private final Jobs jobs;
    private final ScheduleStore store = new ScheduleStore();
    private final Map<DueSchedule.Written, Timetable> read = new HashMap<>();
    /** By name, those that could not be fired for now. */
    private final Map<String, Aside> aside = new HashMap<>();

    /** How often it was tried in vain, and when it is to be tried again. */
    private record Aside(int tries, long againNanos) {}

    /** What became of one that was to be fired. */
    private enum Tried {
        FIRED,
        FAILED,
        NONE
    }

    public Firing(Database db, Jobs jobs) {
        this.db = db;
        this.jobs = jobs;
    }

    @Override
    public Duration run() {
        boolean more = fireAll();
        fireAside();
        if (more) {
            return Duration.ZERO;
        }
        double seconds = db.inTx(store::untilNext).orElse(1e9);
        if (seconds <= 0) {
            // Somebody else has it in hand, or is in its way.
            return LOCKED;
        }
        return seconds >= LONGEST.toSeconds() ? LONGEST : Duration.ofNanos((long) (seconds * 1e9));
    }

    /** True when there may be more. */
    private boolean fireAll() {
        try {
            return db.inTx(tx -> fire(tx, BATCH));
        } catch (RuntimeException e) {
            if (isTheDatabases(e)) {
                throw e;
            }
            // One of them cannot be fired; the others are not to wait for it.
            return fireApart();
        }
    }

    /** The database is away, or has no room: what is tried next would meet the same. */
    private static boolean isTheDatabases(RuntimeException failure) {
        if (failure instanceof OneRoofException || SqlState.isHeldUp(failure)) {
            return false;
        }
        return failure instanceof ConnectionException || SqlState.isTransient(failure);
    }

    /** One after the other, up to the one that fails: the keeper does not wait twice in one pass. */
    private boolean fireApart() {
        Tried tried = Tried.FIRED;
        for (int n = 0; n < BATCH && tried == Tried.FIRED; n++) {
            tried = fireOne(1, schedule -> !aside.containsKey(schedule.name()));
        }
        return tried != Tried.NONE;
    }

    /** The one that has waited for longest, where it is time for it. */
    private void fireAside() {
        long now = System.nanoTime();
        aside.entrySet().stream()
                .filter(one -> one.getValue().againNanos() - now <= 0)
                .min(Comparator.comparingLong(one -> one.getValue().againNanos() - now))
                .map(Map.Entry::getKey)
                .ifPresent(name -> {
                    if (fireOne(BATCH, schedule -> schedule.name().equals(name)) == Tried.NONE) {
                        // Somebody has fired, paused or removed it.
                        aside.remove(name);
                    }
                });
    }

    /** @param among so many of the oldest, and as many as were set aside */
    private Tried fireOne(int among, Predicate<DueSchedule> wanted) {
        List<DueSchedule> tried = new ArrayList<>();
        try {
            db.useTx(tx -> {
                due(tx, among).stream().filter(wanted).findFirst().ifPresent(tried::add);
                fire(tx, tried);
            });
        } catch (RuntimeException e) {
            if (isTheDatabases(e) || tried.isEmpty()) {
                throw e;
            }
            failed(tried.getFirst(), e);
            return Tried.FAILED;
        }
        tried.forEach(schedule -> aside.remove(schedule.name()));
        return tried.isEmpty() ? Tried.NONE : Tried.FIRED;
    }

    private void failed(DueSchedule schedule, RuntimeException failure) {
        if (failure instanceof OneRoofException || SqlState.isRefused(failure)) {
            try {
                stop(schedule, String.valueOf(failure.getMessage()));
                return;
            } catch (RuntimeException e) {
                if (isTheDatabases(e)) {
                    throw e;
                }
                failure.addSuppressed(e);
            }
        }
        setAside(schedule.name(), failure);
    }

    /** What is in its way may be gone in a moment; and what nobody has thought of is no fault of the schedule. */
    private void setAside(String name, RuntimeException failure) {
        Aside before = aside.getOrDefault(name, new Aside(0, 0));
        int tries = before.tries() + 1;
        Duration rest = Duration.ofSeconds(Math.min(tries, LONGEST_ASIDE.toSeconds()));
        aside.put(name, new Aside(tries, System.nanoTime() + rest.toNanos()));
        if (tries == 1) {
            log.warn("schedule {} could not be fired for now, trying again: {}", name, failure.getMessage());
        }
    }

    /** It would be tried for ever: an operator mends it and lets it go on. One that was mended meanwhile is tried again. */
    private void stop(DueSchedule schedule, String why) {
        String reason = why.length() <= 120 ? why : why.substring(0, 119) + "…";
        boolean stopped = db.inTx(tx -> {
            store.waitNoLonger(tx);
            return store.stop(tx, schedule, new OperatorAct(ACTOR, "it cannot be fired: " + reason));
        });
        aside.remove(schedule.name());
        if (stopped) {
            log.error("schedule {} is paused, it cannot be fired: {}", schedule.name(), why);
        }
    }

    /** True when there may be more. */
    private boolean fire(Tx tx, int limit) {
        List<DueSchedule> due = due(tx, limit).stream()
                .filter(schedule -> !aside.containsKey(schedule.name()))
                .toList();
        boolean more = fire(tx, due);
        return more || due.size() >= limit;
    }

    /** So many at least, where there are; those that were set aside, which are among the oldest, come on top. */
    private List<DueSchedule> due(Tx tx, int limit) {
        store.waitNoLonger(tx);
        return store.due(tx, Math.min(MOST, limit + aside.size()));
    }

    private boolean fire(Tx tx, List<DueSchedule> due) {
        if (due.isEmpty()) {
            return false;
        }
        List<DueTimes> times = due.stream().map(this::times).toList();
        List<NewJob> wanted = new ArrayList<>();
        for (int n = 0; n < due.size(); n++) {
            DueSchedule schedule = due.get(n);
            Payload payload = new Payload(schedule.payload());
            times.get(n).fired().forEach(at -> wanted.add(job(schedule, payload, at)));
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
        try {
            Timetable timetable = read.computeIfAbsent(schedule.written(), DueSchedule.Written::read);
            return DueTimes.of(timetable, schedule.catchUp(), schedule.due(), schedule.now());
        } catch (OneRoofException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new OneRoofException(ErrorCode.FAILED, "its times cannot be told: " + e.getMessage(), e);
        }
    }

    private static NewJob job(DueSchedule schedule, Payload payload, Instant at) {
        String key = schedule.overlaps()
                ? "schedule:%s:%s".formatted(schedule.name(), at)
                : "schedule:%s".formatted(schedule.name());
        return new NewJob(schedule.kind(), payload, key, schedule.priority(), at, null, schedule.maxAttempts(), null);
    }
}
