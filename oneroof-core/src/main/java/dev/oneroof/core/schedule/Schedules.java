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

/** Adds, shows, pauses and removes schedules. Running instances fire them. */
public final class Schedules {
    private static final int TRIES = 10;

    private final Database db;
    private final ScheduleStore store = new ScheduleStore();

    public Schedules(Database db) {
        this.db = db;
    }

    /** What a put changed. */
    public enum Put {
        ADDED,
        CHANGED,
        SAME
    }

    /** Adds a schedule. The same definition again is no change; another one under the same name is refused. */
    public Put add(Schedule schedule, String actor) {
        return put(schedule, false, actor);
    }

    /**
     * Adds a schedule, or replaces the one of its name. Unless the recurrence changes, the next due time stays. A new
     * definition resumes a schedule that the keeper stopped because it could not be fired, but not one that an operator paused.
     */
    public Put replace(Schedule schedule, String actor) {
        return put(schedule, true, actor);
    }

    private Put put(Schedule schedule, boolean replace, String actor) {
        return retried(() -> db.inTx(tx -> {
            Instant next = schedule.recurrence()
                    .next(store.now(tx))
                    .orElseThrow(() -> new OneRoofException(
                            ErrorCode.INVALID_INPUT,
                            "schedule: '%s' is never due; allowed is one that is".formatted(schedule.name())));
            return Put.valueOf(store.put(tx, schedule, next, replace, actor).toUpperCase(Locale.ROOT));
        }));
    }

    /** Retries a change of a schedule that was fired, replaced or removed between the read and the write. */
    private static <R> R retried(Supplier<R> change) {
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

    /** Whether an instance runs that fires schedules, or would if no other did. */
    public boolean areFired() {
        return db.inTx(store::isAnyKeeperRunning);
    }

    /** False if it is paused already. */
    public boolean pause(String name, OperatorAct by) {
        return db.inTx(tx -> store.pause(tx, name, by));
    }

    /** Times during the pause are not fired. False if it is not paused. */
    public boolean resume(String name, OperatorAct by) {
        return retried(() -> db.inTx(tx -> {
            ScheduleView schedule = first(store.list(tx, name), name);
            @Nullable Instant next = schedule.recurrence().next(store.now(tx)).orElse(null);
            return store.resume(tx, schedule, next, by);
        }));
    }

    /** Jobs that it enqueued stay. */
    public void remove(String name, OperatorAct by) {
        db.useTx(tx -> store.remove(tx, name, by));
    }

    public List<ScheduleView> list() {
        return db.inTx(tx -> store.list(tx, null));
    }

    public ScheduleView show(String name) {
        return first(db.inTx(tx -> store.list(tx, name)), name);
    }

    private static ScheduleView first(List<ScheduleView> found, String name) {
        return found.stream()
                .findFirst()
                .orElseThrow(
                        () -> new OneRoofException(ErrorCode.NOT_FOUND, "schedule: there is no '%s'".formatted(name)));
    }

    /** The next times after this one. */
    public static List<Instant> times(Recurrence recurrence, Instant after, int count) {
        List<Instant> times = new ArrayList<>();
        Optional<Instant> next = recurrence.next(after);
        while (next.isPresent() && times.size() < count) {
            times.add(next.get());
            next = recurrence.next(next.get());
        }
        return times;
    }
}
