package dev.oneroof.core.tail.read;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.SchemaName;
import java.util.Map;

/**
 * The rows whose keys were just written to the stretch, and no others: the effect sees exactly the rows that are stored
 * as handled. A row that was deleted or changed its key since is not among them; a changed one is read again under its
 * new key.
 */
public record CapturedPage(
        TailSource source, SchemaName schema, Scope scope, StretchStore.Captured captured, boolean untimed)
        implements Page {
    @Override
    public String select(String columns) {
        OrderKey key = new OrderKey(source);
        String byId = source.time() == null || untimed
                ? "%3$s IN (SELECT CAST(k.id AS %2$s) FROM oneroof.tail_stretch s CROSS JOIN LATERAL unnest(s.keys_id) k (id)"
                : "(%4$s) IN (SELECT CAST(k.ts AS %1$s), CAST(k.id AS %2$s) FROM oneroof.tail_stretch s"
                        + " CROSS JOIN LATERAL unnest(s.keys_ts, s.keys_id) k (ts, id)";
        return """
                SELECT %s, %s AS order_ts, %s AS order_id, %s AS order_at
                FROM %s
                WHERE %s
                    WHERE s.worker_name = :page_worker AND s.source_name = :page_source AND s.shard = :page_shard
                      AND s.batch_no BETWEEN :page_first AND :page_last)
                  AND %s
                ORDER BY %s""".formatted(
                        columns,
                        key.ts(),
                        key.id(),
                        key.at(),
                        source.relation().quoted(),
                        schema.applyTo(byId).formatted(key.tsType(), key.idType(), key.id(), key.columns()),
                        untimed ? key.isUntimed() : key.isThere(),
                        key.order());
    }

    @Override
    public Map<String, Object> parameters() {
        return Map.of(
                "page_worker", scope.worker(),
                "page_source", scope.source(),
                "page_shard", scope.shard(),
                "page_first", captured.firstBatch(),
                "page_last", captured.lastBatch());
    }
}
