package dev.oneroof.core.schedule;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.text.CalendarTime;
import dev.oneroof.postgres.text.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A fixed interval in elapsed time, independent of time zones.
 *
 * @param first null if the schedule starts one interval after it is added
 */
public record FixedInterval(Duration every, @Nullable Instant first) implements Recurrence {
    private static final Duration LONGEST = Duration.ofDays(366);

    public FixedInterval {
        if (every.toNanosPart() != 0 || every.compareTo(Duration.ofSeconds(1)) < 0 || every.compareTo(LONGEST) > 0) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "every: '%s' is not allowed; allowed are whole seconds, from 1s to 366d"
                            .formatted(DurationText.of(every)));
        }
        if (first != null) {
            CalendarTime.demand("first", first);
        }
    }

    @Override
    public Optional<Instant> next(Instant after) {
        if (after.isAfter(CalendarTime.LAST)) {
            return Optional.empty();
        }
        if (first == null) {
            return orEmpty(after.plus(every));
        }
        if (after.isBefore(first)) {
            return Optional.of(first);
        }
        long done = Duration.between(first, after).toSeconds() / every.toSeconds();
        return orEmpty(first.plusSeconds((done + 1) * every.toSeconds()));
    }

    private static Optional<Instant> orEmpty(Instant next) {
        return next.isAfter(CalendarTime.LAST) ? Optional.empty() : Optional.of(next);
    }
}
