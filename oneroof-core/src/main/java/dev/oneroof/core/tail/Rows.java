package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.KeyText;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.AbstractList;
import java.util.Map;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a batch, over the driver's own buffer: nothing is copied, and a handler that reads two columns of ten
 * pays for two.
 */
final class Rows extends AbstractList<Row> implements RandomAccess {
    private final ResultSet rows;
    private final int size;
    private final Map<String, Integer> positions;
    private final KeyPositions key;
    /** The current row of the result, so that reading the columns of one row moves it once. */
    private int at = -1;

    private final @Nullable String[] asked = new @Nullable String[8];
    private final int[] answers = new int[asked.length];
    private int next;
    private boolean closed;

    /** The columns of the order key in the result; timeType is null where the source has no time. */
    record KeyPositions(@Nullable TimeType timeType, int ts, int id) {}

    Rows(ResultSet rows, Map<String, Integer> positions, KeyPositions key) {
        this.positions = positions;
        this.key = key;
        try {
            // The driver's own result set: the wrapper of a pool would slow down every column of every row.
            this.rows = rows.unwrap(ResultSet.class);
            this.size = this.rows.last() ? this.rows.getRow() : 0;
        } catch (SQLException e) {
            throw new OneRoofException(ErrorCode.FAILED, "rows: the result cannot be read", e);
        }
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Row get(int index) {
        return new Row(this, Objects.checkIndex(index, size));
    }

    /** From here on the rows cannot be read: their result set is closed. */
    void close() {
        closed = true;
    }

    /**
     * The position of a column in the result. Handlers read the same few columns repeatedly, by the same String
     * objects.
     */
    @SuppressWarnings("ReferenceEquality")
    int position(String column) {
        for (int i = 0; i < asked.length; i++) {
            if (asked[i] == column) {
                return answers[i];
            }
        }
        int position = found(column);
        asked[next] = column;
        answers[next] = position;
        next = (next + 1) % asked.length;
        return position;
    }

    private int found(String column) {
        Integer position = positions.get(column);
        if (position == null) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "column: '%s' is not read; read are %s"
                            .formatted(column, String.join(", ", new TreeSet<>(positions.keySet()))));
        }
        return position;
    }

    /** The row's position in the order; for a row whose time is null it is the id alone. */
    Watermark key(int index) {
        try {
            ResultSet row = at(index);
            TimeType timed = key.timeType();
            return new Watermark(timed == null ? null : KeyText.of(row, key.ts(), timed), row.getString(key.id()));
        } catch (SQLException e) {
            throw new OneRoofException(ErrorCode.FAILED, "key: the order key of a row cannot be read", e);
        } catch (OneRoofException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new InternalFault(e);
        }
    }

    /** The result, positioned on that row. */
    ResultSet at(int index) throws SQLException {
        if (closed) {
            throw new OneRoofException(ErrorCode.FAILED, "row: it can be read only until its handler returns");
        }
        if (at != index) {
            rows.absolute(index + 1);
            at = index;
        }
        return rows;
    }
}
