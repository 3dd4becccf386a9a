package dev.oneroof.core.tabletail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Tx;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The stretch, in {@code tail_stretch}. */
final class StretchStore {
    private static final String SIZE = """
            SELECT coalesce(sum(key_count), 0)
            FROM oneroof.tail_stretch
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
            """;

    // The keys are few and known from here on: to fetch and sort them is right, to walk the whole index for their order
    // not.
    // Head is the highest of the keys that the clock has reached: a row dated in the future is handled, and does not
    // move it.
    private static final String CAPTURE = """
            WITH page AS MATERIALIZED (
            %s
            ), captured AS (
                INSERT INTO oneroof.tail_stretch (worker_name, source_name, shard, keys_ts, keys_id, key_count)
                SELECT :worker, :source, :shard,
                       array_agg(coalesce(order_ts::text, '') ORDER BY page.order_ts, page.order_id),
                       array_agg(order_id::text ORDER BY page.order_ts, page.order_id),
                       count(*)
                FROM page
                HAVING count(*) > 0
                RETURNING batch_no, key_count
            )
            SELECT c.batch_no, c.key_count, head.order_ts::text AS head_ts, head.order_id::text AS head_id,
                   set_config('enable_sort', 'on', true)
            FROM captured c
            LEFT JOIN LATERAL (
                SELECT p.order_ts, p.order_id
                FROM page p
                WHERE %s
                ORDER BY p.order_ts DESC, p.order_id DESC
                LIMIT 1) head ON true
            """;

    // Batches are dropped whole: their keys are in order, so the last one is the highest.
    private static final String DROP = """
            DELETE FROM oneroof.tail_stretch
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND %s
            """;

    /** A batch of keys that are remembered as handled, if this transaction commits. */
    record Captured(long batch, int rows, @Nullable Watermark head) {}

    long size(Tx tx, Scope scope) {
        return tx.query(SIZE)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .mapTo(Long.class)
                .one();
    }

    /** Writes down the keys of a page; empty when it has no rows. */
    Optional<Captured> capture(Tx tx, Scope scope, KeysetPage page) {
        OrderKey key = new OrderKey(page.source());
        String sql = CAPTURE.formatted(page.select("1"), key.isNotInTheFuture("p.order_ts"));
        return tx.query(sql)
                .bindMap(page.parameters())
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .map((row, context) -> new Captured(
                        row.getLong("batch_no"),
                        row.getInt("key_count"),
                        Watermark.ofNullable(row.getString("head_ts"), row.getString("head_id"))))
                .findOne();
    }

    /** Drops the batches that lie at or below the watermark, and returns how many. */
    int dropUpTo(Tx tx, Scope scope, TailSource source, Watermark settled) {
        OrderKey key = new OrderKey(source);
        String lastTs = "CAST(keys_ts[key_count] AS %s)".formatted(key.tsType());
        String lastId = "CAST(keys_id[key_count] AS %s)".formatted(key.idType());
        String passed;
        if (settled.ts() == null) {
            passed = "%s <= CAST(:settled_id AS %s)".formatted(lastId, key.idType());
        } else if (settled.id() == null) {
            passed = "%s <= CAST(:settled_ts AS %s)".formatted(lastTs, key.tsType());
        } else {
            passed = "(%s, %s) <= (CAST(:settled_ts AS %s), CAST(:settled_id AS %s))"
                    .formatted(lastTs, lastId, key.tsType(), key.idType());
        }
        var update = tx.update(DROP.formatted(passed))
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard());
        if (settled.ts() != null) {
            update.bind("settled_ts", settled.ts());
        }
        if (settled.id() != null) {
            update.bind("settled_id", settled.id());
        }
        return update.execute();
    }
}
