package dev.oneroof.core.schedule;

import java.time.Instant;
import java.util.Optional;

/** The times at which a schedule is due. */
public sealed interface Recurrence permits CronExpression, FixedInterval {
    /** The first time after this one; empty if there is none. */
    Optional<Instant> next(Instant after);
}
