package dev.oneroof.core.tail.source;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a time column's default says about who sets the time.
 *
 * <p>The barrier needs a time that was taken at or after the start of the transaction that writes it. All of the
 * server's clocks do: the transaction's, the statement's and the wall's.
 */
enum ClockDefault {
    /** One of the server's clocks. */
    SERVER,
    /** One of them, but in the zone of whoever writes: two sessions may put one moment hours apart. */
    SESSION_ZONE,
    /** Nothing, or nothing that is known to be a clock. */
    UNKNOWN;

    private static final String CLOCK =
            "(?:now|transaction_timestamp|statement_timestamp|clock_timestamp)\\(\\)|CURRENT_TIMESTAMP(?:\\(\\d\\))?";
    private static final Pattern PLAIN = Pattern.compile(CLOCK);
    private static final Pattern LOCAL = Pattern.compile(CLOCK + "|LOCALTIMESTAMP(?:\\(\\d\\))?");
    private static final Pattern IN_UTC = Pattern.compile(
            "\\(*(?:%1$s)\\)* AT TIME ZONE '(?i:utc|etc/utc)'::text\\)*|timezone\\('(?i:utc|etc/utc)'::text, \\(*(?:%1$s)\\)*\\)"
                    .formatted(CLOCK));

    /** {@code expression} as {@code pg_get_expr} writes it. */
    static ClockDefault of(TimeType type, @Nullable String expression) {
        if (expression == null) {
            return UNKNOWN;
        }
        return switch (type) {
            case TIMESTAMPTZ -> PLAIN.matcher(expression).matches() ? SERVER : UNKNOWN;
            case TIMESTAMP -> {
                if (IN_UTC.matcher(expression).matches()) {
                    yield SERVER;
                }
                yield LOCAL.matcher(expression).matches() ? SESSION_ZONE : UNKNOWN;
            }
            case DATE -> UNKNOWN;
        };
    }
}
