package dev.oneroof.core.tail.read;

import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import java.util.Map;

/** Rows whose time is null, by their id, without the handled ones. They have no position in the order. */
public record UntimedPage(TailSource source, Stretch stretch, int limit) implements Page {
    @Override
    public String select(String columns) {
        OrderKey key = new OrderKey(source);
        String filter = source.filter() == null ? "" : "\n  AND (" + source.filter() + ")";
        return """
                SELECT %s, %s AS order_ts, %s AS order_id, %s AS order_at
                FROM %s
                WHERE %s
                  AND %s%s
                ORDER BY %s
                LIMIT %s""".formatted(
                        columns,
                        key.ts(),
                        key.id(),
                        key.at(),
                        source.relation().quoted(),
                        key.isUntimed(),
                        stretch.holdsNot(key, null, null),
                        filter,
                        key.order(),
                        limit);
    }

    @Override
    public Map<String, Object> parameters() {
        return stretch.parameters();
    }
}
