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
 * The rows of a batch, over the driver's own buffer: nothing is copied, and a handler that looks at two columns of ten
 * pays for two.
 */
final class Rows extends AbstractList<Row> implements RandomAccess {
    private final ResultSet rows;
    private final int size;
    private final Map<String, Integer> positions;
    private final KeyPositions key;
    /** Where the result stands, so that reading one row's columns moves it once. */
    private int at = -1;

    private final @Nullable String[] asked = new @Nullable String[8];
    private final int[] answers = new int[asked.length];
    private int next;
    private boolean over;

    /** Where the order key stands in the result; without a time there is none of its own. */
    record KeyPositions(@Nullable TimeType timeType, int ts, int id) {}

    Rows(ResultSet rows, Map<String, Integer> positions, KeyPositions key) {
        this.positions = positions;
        this.key = key;
        try {
            // The driver's own: a pool puts a wrapper around it, which is felt when every column of every row goes
            // through.
            this.rows = rows.unwrap(ResultSet.class);
            this.size = this.rows.last() ? this.rows.getRow() : 0;
        } catch (SQLException e) {
            throw new OneRoofException(ErrorCode.FAILED, "rows: they cannot be read", e);
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

    /** From here on the rows can no longer be read: the result they stand in is given back. */
    void end() {
        over = true;
    }

    /** Where a column stands in the result. Handlers ask for the same few again and again, by the same objects. */
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

    /** The row's place in the order; of a row whose time is null it is the id alone. */
    Watermark key(int index) {
        try {
            ResultSet row = at(index);
            TimeType timed = key.timeType();
            return new Watermark(timed == null ? null : KeyText.of(row, key.ts(), timed), row.getString(key.id()));
        } catch (SQLException e) {
            throw new OneRoofException(ErrorCode.FAILED, "key: it cannot be read", e);
        } catch (OneRoofException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new OwnFault(e);
        }
    }

    /** The result, standing on that row. */
    ResultSet at(int index) throws SQLException {
        if (over) {
            throw new OneRoofException(ErrorCode.FAILED, "row: it can be read only until its handler returns");
        }
        if (at != index) {
            rows.absolute(index + 1);
            at = index;
        }
        return rows;
    }
}
