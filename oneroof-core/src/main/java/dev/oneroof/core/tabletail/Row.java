package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * One row of a source, for as long as its handler runs. A value is made only when it is asked for, out of what the driver
 * holds anyway; whoever wants to keep one keeps the value and not the row.
 */
public final class Row {
    private final Rows rows;
    private final int index;

    Row(Rows rows, int index) {
        this.rows = rows;
        this.index = index;
    }

    /** Its place in the source's order. */
    public Watermark key() {
        return rows.key(index);
    }

    public boolean isNull(String column) {
        return rows.read(index, column, "a value", (row, position) -> row.getString(position)) == null;
    }

    /** Whatever the column's type, its text. */
    public @Nullable String string(String column) {
        return rows.read(index, column, "text", (row, position) -> row.getString(position));
    }

    /** A whole number; a null has none, and is refused. */
    public long number(String column) {
        Long number = rows.read(index, column, "a whole number", (row, position) -> {
            long value = row.getLong(position);
            return row.wasNull() ? null : value;
        });
        if (number == null) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT, "column: '%s' is null and no number; ask isNull first".formatted(column));
        }
        return number;
    }

    /** The moment in a {@code timestamptz}; infinity is the last or first moment that Java knows. */
    public @Nullable Instant instant(String column) {
        OffsetDateTime time = value(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** As any type that the driver can make of the column's, such as BigDecimal, UUID, Boolean, LocalDate or byte[]. */
    public <T> @Nullable T value(String column, Class<T> type) {
        return rows.read(index, column, type.getSimpleName(), (row, position) -> row.getObject(position, type));
    }
}
