package dev.oneroof.core.tail;

import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * One row of a source, valid while its handler runs. A value is decoded only when it is read, from the driver's buffer.
 * To keep a value, keep the value and not the row.
 */
public final class Row {
    private final Rows rows;
    private final int index;

    Row(Rows rows, int index) {
        this.rows = rows;
        this.index = index;
    }

    /** Its position in the source's order: its time and its id, or the id alone where the time is null. */
    public Watermark key() {
        return rows.key(index);
    }

    public boolean isNull(String column) {
        return string(column) == null;
    }

    /** The text of the value, whatever the column's type. */
    public @Nullable String string(String column) {
        int position = rows.position(column);
        try {
            return rows.at(index).getString(position);
        } catch (SQLException | RuntimeException e) {
            throw unreadable(column, "text", e);
        }
    }

    /** A whole number; a null is refused. */
    public long number(String column) {
        int position = rows.position(column);
        long number;
        boolean isNull;
        try {
            ResultSet row = rows.at(index);
            number = row.getLong(position);
            // Only a zero can be a null, and wasNull has a cost.
            isNull = number == 0 && row.wasNull();
        } catch (SQLException | RuntimeException e) {
            throw unreadable(column, "a whole number", e);
        }
        if (isNull) {
            throw new OneRoofException(
                    ErrorCode.FAILED, "column: '%s' is null, not a number; check isNull first".formatted(column));
        }
        return number;
    }

    /** The moment in a {@code timestamptz}; infinity is the last or first moment that Java knows. */
    public @Nullable Instant instant(String column) {
        OffsetDateTime time = value(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** As any type that the driver can convert the value to, such as BigDecimal, UUID, Boolean, LocalDate or byte[]. */
    public <T> @Nullable T value(String column, Class<T> type) {
        int position = rows.position(column);
        try {
            return rows.at(index).getObject(position, type);
        } catch (SQLException | RuntimeException e) {
            throw unreadable(column, type.getSimpleName(), e);
        }
    }

    private static RuntimeException unreadable(String column, String as, Exception e) {
        if (e instanceof OneRoofException ours) {
            return ours;
        }
        // A conversion that fails is a matter of the value. Anything else is a defect of OneRoof, not of the handler.
        boolean isOfTheValue = e instanceof SQLException
                || e instanceof DateTimeException
                || e instanceof ArithmeticException
                || e instanceof IllegalArgumentException;
        return isOfTheValue
                ? new OneRoofException(ErrorCode.FAILED, "column: '%s' cannot be read as %s".formatted(column, as), e)
                : new InternalFault(e);
    }
}
