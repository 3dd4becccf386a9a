package dev.oneroof.core.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which of the due times are fired, how many are missed (misfires), and the next time.
 *
 * @param fired in order
 * @param missed how many are not fired; of very many, as many as were counted
 * @param next null if there is none
 */
record FirePlan(List<Instant> fired, int missed, @Nullable Instant next) {
    /** The most times fired in one transaction; the rest stays due. */
    static final int BATCH = 200;

    private static final Duration MISFIRE_GRACE = Duration.ofMinutes(1);

    /** @param due the first due time, not after now */
    static FirePlan of(Recurrence recurrence, CatchUp catchUp, Instant due, Instant now) {
        List<Instant> past = new ArrayList<>(List.of(due));
        Optional<Instant> next = recurrence.next(due);
        while (next.isPresent() && !next.get().isAfter(now) && past.size() < BATCH) {
            past.add(next.get());
            next = recurrence.next(next.get());
        }
        if (catchUp == CatchUp.ALL) {
            return new FirePlan(past, 0, next.orElse(null));
        }
        int counted = past.size();
        Instant last = past.getLast();
        if (next.isPresent() && !next.get().isAfter(now)) {
            last = lastUntil(recurrence, next.get(), now);
            counted++;
            next = recurrence.next(last);
        }
        boolean fires = catchUp == CatchUp.LAST || !last.plus(MISFIRE_GRACE).isBefore(now);
        return new FirePlan(fires ? List.of(last) : List.of(), fires ? counted - 1 : counted, next.orElse(null));
    }

    /** The last time not after now, by binary search: a schedule that was not fired for a year may have missed millions. */
    private static Instant lastUntil(Recurrence recurrence, Instant known, Instant now) {
        Instant last = known;
        long from = known.getEpochSecond() - 1;
        long to = now.getEpochSecond();
        while (from < to) {
            long middle = from + (to - from + 1) / 2;
            Optional<Instant> next = recurrence.next(Instant.ofEpochSecond(middle));
            if (next.isPresent() && !next.get().isAfter(now)) {
                from = middle;
                last = next.get();
            } else {
                to = middle - 1;
            }
        }
        return last;
    }
}
