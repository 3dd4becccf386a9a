package dev.oneroof.core.tabletail;

import dev.oneroof.core.lease.Scope;
import java.util.Map;

/**
 * The rows whose keys were written to the stretch as one batch, and no others: what an effect sees is just what will be
 * remembered as handled. A row that has gone or changed its key since is not among them; a changed one comes again.
 */
record CapturedPage(TailSource source, Scope scope, long batch) implements Page {
    @Override
    public String select(String columns) {
        OrderKey key = new OrderKey(source);
        String keys = source.time() == null
                ? "SELECT CAST(k.id AS %2$s) FROM oneroof.tail_stretch s CROSS JOIN LATERAL unnest(s.keys_id) k (id)"
                : "SELECT CAST(k.ts AS %1$s), CAST(k.id AS %2$s) FROM oneroof.tail_stretch s"
                        + " CROSS JOIN LATERAL unnest(s.keys_ts, s.keys_id) k (ts, id)";
        return """
                SELECT %s, %s AS order_ts, %s AS order_id, %s AS order_at
                FROM %s
                WHERE (%s) IN (%s
                    WHERE s.worker_name = :page_worker AND s.source_name = :page_source AND s.shard = :page_shard
                      AND s.batch_no = :page_batch)
                ORDER BY %s""".formatted(
                        columns,
                        key.ts(),
                        key.id(),
                        key.at(),
                        source.relation().quoted(),
                        key.columns(),
                        keys.formatted(key.tsType(), key.idType()),
                        key.columns());
    }

    @Override
    public Map<String, Object> parameters() {
        return Map.of(
                "page_worker", scope.worker(),
                "page_source", scope.source(),
                "page_shard", scope.shard(),
                "page_batch", batch);
    }
}
