package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The types an order key's time may have. */
public enum TimeType {
    TIMESTAMPTZ,
    TIMESTAMP,
    DATE;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }

    static TimeType of(String sql) {
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
