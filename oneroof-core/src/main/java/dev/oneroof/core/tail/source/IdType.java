package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The types an order key's id may have. */
public enum IdType {
    SMALLINT,
    INTEGER,
    BIGINT,
    UUID,
    TEXT,
    NUMERIC;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static IdType of(String sql) {
        return Arrays.stream(values())
                .filter(type -> type.sql().equals(sql))
                .findFirst()
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.INVALID_INPUT,
                        "id_type: '%s' is not supported; allowed are %s"
                                .formatted(
                                        sql,
                                        Arrays.stream(values()).map(IdType::sql).collect(Collectors.joining(", ")))));
    }
}
