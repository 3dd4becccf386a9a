package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Page;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.UserTx;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * An effect in Java: reads the page and passes its rows to a handler. An exception of the handler becomes an {@link
 * EffectFailure}; any other exception is not caused by a row.
 */
record RowsEffect(List<String> columns, RowsHandler handler) implements BatchEffect {
    RowsEffect {
        columns = List.copyOf(columns);
    }

    // Without order_at, which the key implies: the planner removes unused columns down to the page itself, and sees
    // that the rows are already in order.
    private static final String READ = """
            SELECT %sorder_ts, order_id
            FROM (
            %s
            ) page
            ORDER BY page.order_ts, page.order_id
            """;

    /** The columns that are read, and their positions in the result. */
    private record Layout(List<String> selected, Map<String, Integer> positions, Rows.KeyPositions key) {
        String sql(Page page) {
            if (page instanceof KeysetPage keyset) {
                return keyset.selectRows(selected);
            }
            String columns = String.join(", ", selected);
            return READ.formatted(
                    columns.isEmpty() ? "" : columns + ", ", page.select(columns.isEmpty() ? "NULL" : columns));
        }
    }

    @Override
    public Batch apply(UserTx tx, Page page) {
        Layout layout = layout(page.source());
        String sql = layout.sql(page);
        @Nullable
        ResultSet ahead = page instanceof KeysetPage keyset && keyset.ahead() != null
                ? keyset.ahead().taken(keyset)
                : null;
        if (ahead != null) {
            return handled(tx, page, sql, layout, ahead);
        }
        // Closed at once and not with the transaction: the driver prepares a statement again, every time, if one with
        // the same text is still open.
        try (Query query = tx.scrollableQuery(sql).bindMap(page.parameters())) {
            return handled(tx, page, sql, layout, tx.fetched(query));
        }
    }

    private Batch handled(UserTx tx, Page page, String sql, Layout layout, ResultSet result) {
        Rows rows = new Rows(result, layout.positions(), layout.key());
        if (rows.isEmpty()) {
            return Batch.EMPTY;
        }
        Watermark last = rows.key(rows.size() - 1);
        if (page instanceof KeysetPage keyset && keyset.ahead() != null && rows.size() == keyset.limit()) {
            // Watermarks are bound parameters, so the text is the same.
            keyset.ahead().read(keyset.after(last, keyset.ahead()), sql);
        }
        give(tx, rows);
        return new Batch(rows.size(), rows.size(), last);
    }

    /**
     * A handler's stack may overflow because a row is nested too deeply. Other Errors come from the JVM or the program.
     */
    private void give(UserTx tx, Rows rows) {
        try {
            handler.handle(tx, rows);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EffectFailure(e);
        } catch (Exception | StackOverflowError e) {
            throw new EffectFailure(e);
        } finally {
            rows.close();
        }
    }

    /** The page always contains the order key, so a column that is part of it is not selected twice. */
    private Layout layout(TailSource source) {
        TailSource.TimeColumn time = source.time();
        List<String> selected = new ArrayList<>();
        Map<String, Integer> positions = new HashMap<>();
        for (String column : columns) {
            if (!isKey(source, column) && !positions.containsKey(column)) {
                selected.add(Identifiers.quote("column", column));
                positions.put(column, selected.size());
            }
        }
        int ts = selected.size() + 1;
        int id = ts + 1;
        if (time != null) {
            positions.put(time.column(), ts);
        }
        positions.put(source.id().column(), id);
        @Nullable TimeType timeType = time == null ? null : time.type();
        return new Layout(selected, positions, new Rows.KeyPositions(timeType, ts, id));
    }

    private static boolean isKey(TailSource source, String column) {
        TailSource.TimeColumn time = source.time();
        return column.equals(source.id().column()) || (time != null && column.equals(time.column()));
    }
}
