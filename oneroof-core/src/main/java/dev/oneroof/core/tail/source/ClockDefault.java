package dev.oneroof.core.tail.source;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a time column's default shows about the origin of the time.
 *
 * <p>The barrier needs a time that was taken at or after the start of the transaction that writes it. All clock
 * functions of the server give one: of the transaction, the statement and the present moment.
 */
enum ClockDefault {
    /** A clock function of the server. */
    SERVER,
    /** A clock function, but in the zone of the writing session: two sessions may store one moment hours apart. */
    SESSION_ZONE,
    /** No default, or one that is not known to be a clock. */
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
