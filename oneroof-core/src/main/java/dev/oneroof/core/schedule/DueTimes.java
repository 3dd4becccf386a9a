package dev.oneroof.core.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which of the times that have come are fired, and which comes next.
 *
 * @param fired in order
 * @param missed how many are not made up; of very many, as many as were counted
 * @param next null where there is none
 */
record DueTimes(List<Instant> fired, int missed, @Nullable Instant next) {
    /** So many at once; what is left is due still. */
    static final int MOST = 200;

    private static final Duration LATE = Duration.ofMinutes(1);

    /** @param due the first time that has come, not after now */
    static DueTimes of(Timetable timetable, CatchUp catchUp, Instant due, Instant now) {
        List<Instant> come = new ArrayList<>(List.of(due));
        Optional<Instant> next = timetable.next(due);
        while (next.isPresent() && !next.get().isAfter(now) && come.size() < MOST) {
            come.add(next.get());
            next = timetable.next(next.get());
        }
        if (catchUp == CatchUp.ALL) {
            return new DueTimes(come, 0, next.orElse(null));
        }
        int counted = come.size();
        Instant last = come.getLast();
        if (next.isPresent() && !next.get().isAfter(now)) {
            last = lastUntil(timetable, next.get(), now);
            counted++;
            next = timetable.next(last);
        }
        boolean fires = catchUp == CatchUp.LAST || !last.plus(LATE).isBefore(now);
        return new DueTimes(fires ? List.of(last) : List.of(), fires ? counted - 1 : counted, next.orElse(null));
    }

    /** The last time not after now, found by halving: a clock that was left alone for a year may have millions. */
    private static Instant lastUntil(Timetable timetable, Instant known, Instant now) {
        Instant last = known;
        long from = known.getEpochSecond() - 1;
        long to = now.getEpochSecond();
        while (from < to) {
            long middle = from + (to - from + 1) / 2;
            Optional<Instant> next = timetable.next(Instant.ofEpochSecond(middle));
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
