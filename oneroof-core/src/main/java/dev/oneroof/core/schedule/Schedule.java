package dev.oneroof.core.schedule;

import dev.oneroof.core.signal.Payload;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs of a kind by cron or interval.
 *
 * @param overlaps whether a job may be enqueued while the previous one is alive
 * @param priority 0 to 100, as for any job
 * @param maxAttempts null is that of the kind
 */
public record Schedule(
        String name,
        String kind,
        Recurrence recurrence,
        CatchUp catchUp,
        boolean overlaps,
        Payload payload,
        int priority,
        @Nullable Integer maxAttempts) {
    public static Schedule of(String name, String kind, Recurrence recurrence) {
        return new Schedule(name, kind, recurrence, CatchUp.LAST, true, Payload.EMPTY, 0, null);
    }

    public Schedule catchingUp(CatchUp how) {
        return new Schedule(name, kind, recurrence, how, overlaps, payload, priority, maxAttempts);
    }

    public Schedule withoutOverlap() {
        return new Schedule(name, kind, recurrence, catchUp, false, payload, priority, maxAttempts);
    }

    public Schedule with(Payload refs) {
        return new Schedule(name, kind, recurrence, catchUp, overlaps, refs, priority, maxAttempts);
    }

    public Schedule withPriority(int higher) {
        return new Schedule(name, kind, recurrence, catchUp, overlaps, payload, higher, maxAttempts);
    }

    public Schedule triedUpTo(int attempts) {
        return new Schedule(name, kind, recurrence, catchUp, overlaps, payload, priority, attempts);
    }
}
