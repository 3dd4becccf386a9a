package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The types an order key's time may have. */
public enum TimeType {
    TIMESTAMPTZ(Written.TIME + Written.ZONE, "an ISO-8601 time with zone, such as 2026-01-31T09:30:00Z"),
    TIMESTAMP(Written.TIME, "an ISO-8601 time without zone, such as 2026-01-31T09:30:00"),
    DATE(Written.DATE, "an ISO-8601 date, such as 2026-01-31");

    private final Pattern written;
    private final String allowed;

    TimeType(String written, String allowed) {
        this.written = Pattern.compile(written + "( BC)?");
        this.allowed = allowed;
    }

    /**
     * ISO-8601, and what the server prints. It accepts more: words such as yesterday, whose meaning depends on the time
     * of reading; a time without zone, in the zone of the session; and it drops a zone where the type has none.
     */
    private static final class Written {
        static final String DATE = "\\d{4,6}-\\d\\d-\\d\\d";
        static final String TIME = DATE + "[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,6})?)?";
        static final String ZONE = "(Z|[+-]\\d\\d(:?\\d\\d(:\\d\\d)?)?)";
    }

    /** Whether a text means the same time in every session and at any moment. */
    public boolean isWritten(String text) {
        return written.matcher(text).matches();
    }

    /** How a time of this type is to be written. */
    public String allowed() {
        return allowed;
    }

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static TimeType of(String sql) {
        return Arrays.stream(values())
                .filter(type -> type.sql().equals(sql))
                .findFirst()
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.INVALID_INPUT,
                        "ts_type: '%s' is not supported; allowed are %s"
                                .formatted(
                                        sql,
                                        Arrays.stream(values())
                                                .map(TimeType::sql)
                                                .collect(Collectors.joining(", ")))));
    }
}
