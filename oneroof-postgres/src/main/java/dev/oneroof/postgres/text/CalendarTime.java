package dev.oneroof.postgres.text;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Instant;

/** Times whose year has four digits: what Java writes of others, the database cannot read. */
public final class CalendarTime {
    public static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    public static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    private CalendarTime() {}

    public static void demand(String field, Instant time) {
        if (time.isBefore(FIRST) || time.isAfter(LAST)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is not allowed; allowed are times of the years 1 to 9999".formatted(field, time));
        }
    }
}
