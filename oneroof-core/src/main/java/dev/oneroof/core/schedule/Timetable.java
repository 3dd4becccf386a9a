package dev.oneroof.core.schedule;

import java.time.Instant;
import java.util.Optional;

/** When a schedule is due. */
public sealed interface Timetable permits CronTimes, SteadyTimes {
    /** The first time after this one; empty where there is none. */
    Optional<Instant> next(Instant after);
}
