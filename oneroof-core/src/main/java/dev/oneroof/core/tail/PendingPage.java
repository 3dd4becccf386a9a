package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.Page;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.SchemaName;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The rows of the source that wait for a retry, all with a time or all without. A row that was deleted or has another
 * key by now is not among them.
 */
record PendingPage(TailSource source, SchemaName schema, List<PendingStore.PendingRow> rows) implements Page {
    @Override
    public String select(String columns) {
        OrderKey key = new OrderKey(source);
        String keys = isUntimed() || source.time() == null
                ? "%2$s IN (SELECT CAST(w.key_id AS %4$s) FROM oneroof.event_pending w WHERE %5$s)"
                : "(%1$s, %2$s) IN (SELECT CAST(w.key_ts AS %3$s), CAST(w.key_id AS %4$s)"
                        + " FROM oneroof.event_pending w WHERE %5$s)";
        String filter = source.filter() == null ? "" : "\n  AND (" + source.filter() + ")";
        return """
                SELECT %s, %s AS order_ts, %s AS order_id, %s AS order_at
                FROM %s
                WHERE %s
                  AND %s%s
                ORDER BY %s""".formatted(
                        columns,
                        key.ts(),
                        key.id(),
                        key.at(),
                        source.relation().quoted(),
                        schema.applyTo(keys)
                                .formatted(
                                        key.ts(),
                                        key.id(),
                                        key.tsType(),
                                        key.idType(),
                                        "w.pending_id = ANY (CAST(:page_pending AS bigint[]))"),
                        isUntimed() ? key.isUntimed() : key.isThere(),
                        filter,
                        key.order());
    }

    private boolean isUntimed() {
        return source.time() != null && rows.getFirst().keyTs() == null;
    }

    @Override
    public Map<String, Object> parameters() {
        return Map.of("page_pending", idsOf(rows));
    }

    /** As the text of an array: a page's parameters are plain values. */
    static String idsOf(List<PendingStore.PendingRow> rows) {
        return rows.stream().map(row -> Long.toString(row.id())).collect(Collectors.joining(",", "{", "}"));
    }
}
