package dev.oneroof.core.schedule;

import dev.oneroof.core.signal.Payload;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of a kind that come by the clock.
 *
 * @param overlaps whether one may be enqueued while the one before is alive
 * @param priority 0 to 100, as of any job
 * @param maxAttempts null as the kind says
 */
public record Schedule(
        String name,
        String kind,
        Timetable timetable,
        CatchUp catchUp,
        boolean overlaps,
        Payload payload,
        int priority,
        @Nullable Integer maxAttempts) {
    public static Schedule of(String name, String kind, Timetable timetable) {
        return new Schedule(name, kind, timetable, CatchUp.LAST, true, Payload.EMPTY, 0, null);
    }

    public Schedule catchingUp(CatchUp how) {
        return new Schedule(name, kind, timetable, how, overlaps, payload, priority, maxAttempts);
    }

    public Schedule withoutOverlap() {
        return new Schedule(name, kind, timetable, catchUp, false, payload, priority, maxAttempts);
    }

    public Schedule with(Payload refs) {
        return new Schedule(name, kind, timetable, catchUp, overlaps, refs, priority, maxAttempts);
    }

    public Schedule withPriority(int higher) {
        return new Schedule(name, kind, timetable, catchUp, overlaps, payload, higher, maxAttempts);
    }

    public Schedule triedUpTo(int attempts) {
        return new Schedule(name, kind, timetable, catchUp, overlaps, payload, priority, attempts);
    }
}
