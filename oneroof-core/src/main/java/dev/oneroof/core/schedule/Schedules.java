package dev.oneroof.core.schedule;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes schedules known, shows them, and changes what becomes of them. They are fired where OneRoof runs. */
public final class Schedules {
    private static final int TRIES = 10;

    private final Database db;
    private final ScheduleStore store = new ScheduleStore();

    public Schedules(Database db) {
        this.db = db;
    }

    /** What became of a schedule that was put. */
    public enum Put {
        ADDED,
        CHANGED,
        SAME
    }

    /** Adds a schedule. The same again is no change; another definition under the name is refused. */
    public Put add(Schedule schedule, String actor) {
        return put(schedule, false, actor);
    }

    /**
     * Adds a schedule, or puts it in the place of the one of its name. Unless its times change, its next one stays. One that
     * was stopped, since it could not be fired, goes on with another definition; one that somebody has paused does not.
     */
    public Put replace(Schedule schedule, String actor) {
        return put(schedule, true, actor);
    }

    private Put put(Schedule schedule, boolean replace, String actor) {
        return again(() -> db.inTx(tx -> {
            Instant next = schedule.timetable()
                    .next(store.now(tx))
                    .orElseThrow(() -> new OneRoofException(
                            ErrorCode.INVALID_INPUT,
                            "schedule: '%s' is never due; allowed is one that is".formatted(schedule.name())));
            return Put.valueOf(store.put(tx, schedule, next, replace, actor).toUpperCase(Locale.ROOT));
        }));
    }

    /** What was just fired, replaced or removed, between the look at it and the change, is looked at again. */
    private static <R> R again(Supplier<R> change) {
        for (int tries = 1; ; tries++) {
            try {
                return change.get();
            } catch (RuntimeException e) {
                if (tries == TRIES || !SqlState.isTransient(e)) {
                    throw e;
                }
            }
        }
    }

    /** Whether an instance runs that fires schedules, or would if nobody else did. */
    public boolean areKept() {
        return db.inTx(store::isKept);
    }

    /** False where it is paused already. */
    public boolean pause(String name, OperatorAct by) {
        return db.inTx(tx -> store.pause(tx, name, by));
    }

    /** What would have been due while it was paused is not made up. False where it is not paused. */
    public boolean resume(String name, OperatorAct by) {
        return again(() -> db.inTx(tx -> {
            KnownSchedule schedule = known(store.list(tx, name), name);
            @Nullable Instant next = schedule.timetable().next(store.now(tx)).orElse(null);
            return store.resume(tx, schedule, next, by);
        }));
    }

    /** Jobs that it has enqueued stay. */
    public void remove(String name, OperatorAct by) {
        db.useTx(tx -> store.remove(tx, name, by));
    }

    public List<KnownSchedule> list() {
        return db.inTx(tx -> store.list(tx, null));
    }

    public KnownSchedule show(String name) {
        return known(db.inTx(tx -> store.list(tx, name)), name);
    }

    private static KnownSchedule known(List<KnownSchedule> found, String name) {
        return found.stream()
                .findFirst()
                .orElseThrow(
                        () -> new OneRoofException(ErrorCode.NOT_FOUND, "schedule: there is no '%s'".formatted(name)));
    }

    /** The next so many times after this one. */
    public static List<Instant> times(Timetable timetable, Instant after, int count) {
        List<Instant> times = new ArrayList<>();
        Optional<Instant> next = timetable.next(after);
        while (next.isPresent() && times.size() < count) {
            times.add(next.get());
            next = timetable.next(next.get());
        }
        return times;
    }
}
