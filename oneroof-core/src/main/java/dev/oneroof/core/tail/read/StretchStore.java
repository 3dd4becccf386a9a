package dev.oneroof.core.tail.read;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and writes the stretch, in {@code tail_stretch}. */
public final class StretchStore {
    /** A batch with fewer keys is small, and is merged with others. */
    public static final int SMALL = 1000;

    private static final String OPEN = """
            SELECT array_agg(batch_no) AS numbers, array_agg(key_count) AS counts
            FROM oneroof.tail_stretch
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND settled_at IS NULL AND NOT untimed
            """;

    // From here on the keys are few and known: they are fetched and sorted, and the index is not walked for their
    // order. Keys dated in the future are a separate batch, which stays until its time; the others do not wait for it.
    // Head is the highest of the keys that the clock has reached: a row dated in the future is handled, and does not
    // move head.
    private static final String CAPTURE = """
            WITH page AS MATERIALIZED (
            %1$s
            ), captured AS (
                INSERT INTO oneroof.tail_stretch (worker_name, source_name, shard, keys_ts, keys_id, key_count, untimed)
                SELECT :worker, :source, :shard,
                       array_agg(coalesce(page.order_ts::text, '') ORDER BY page.order_ts, page.order_id),
                       array_agg(page.order_id::text ORDER BY page.order_ts, page.order_id),
                       count(*),
                       :untimed
                FROM page
                GROUP BY %2$s
                RETURNING batch_no, key_count
            )
            SELECT c.numbers, c.counts, c.rows, head.order_ts::text AS head_ts, head.order_id::text AS head_id,
                   set_config('enable_sort', 'on', true)
            FROM (SELECT array_agg(batch_no) AS numbers, array_agg(key_count) AS counts, sum(key_count) AS rows FROM captured) c
            LEFT JOIN LATERAL (
                SELECT page.order_ts, page.order_id
                FROM page
                WHERE %2$s
                ORDER BY page.order_ts DESC, page.order_id DESC
                LIMIT 1) head ON true
            WHERE c.rows > 0
            """;

    // A batch is passed as a whole: its keys are in order, so the last one is the highest.
    private static final String KEEP = """
            UPDATE oneroof.tail_stretch
            SET settled_at = clock_timestamp(), settled_ts = :settled_ts, settled_id = :settled_id
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND batch_no = ANY(CAST(:among AS bigint[]))
              AND settled_at IS NULL AND NOT untimed
              AND %s
            RETURNING batch_no
            """;

    private static final String DROP = """
            DELETE FROM oneroof.tail_stretch
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND NOT untimed
              AND (settled_at IS NOT NULL OR %s)
            RETURNING batch_no
            """;

    // The oldest kept batches are deleted first. The kept keys then start at the watermark that settled the youngest of
    // those.
    private static final String TRIM = """
            WITH kept AS (
                SELECT batch_no, settled_at,
                       sum(key_count) OVER (ORDER BY settled_at DESC, batch_no DESC) AS keys_from_here
                FROM oneroof.tail_stretch
                WHERE worker_name = :worker AND source_name = :source AND shard = :shard AND settled_at IS NOT NULL
            ), line AS (
                SELECT max(settled_at) AS at
                FROM kept
                WHERE settled_at < clock_timestamp() - make_interval(secs => :kept_seconds) OR keys_from_here > :kept_keys
            ), gone AS (
                DELETE FROM oneroof.tail_stretch s
                USING line
                WHERE s.worker_name = :worker AND s.source_name = :source AND s.shard = :shard AND s.settled_at <= line.at
                RETURNING s.settled_at, s.batch_no, s.settled_ts, s.settled_id
            )
            SELECT settled_ts, settled_id FROM gone ORDER BY %s LIMIT 1
            """;

    // Many small batches become a few large ones: every read has to read each row. Batches dated in the future are not
    // merged.
    private static final String MERGE = """
            WITH small AS (
                DELETE FROM oneroof.tail_stretch
                WHERE worker_name = :worker AND source_name = :source AND shard = :shard
                  AND batch_no = ANY(CAST(:among AS bigint[]))
                  AND settled_at IS NULL AND NOT untimed AND %1$s
                RETURNING batch_no, keys_ts, keys_id
            ), keys AS (
                SELECT k.ts, k.id, row_number() OVER (ORDER BY %2$s) - 1 AS place
                FROM small
                CROSS JOIN LATERAL unnest(keys_ts, keys_id) k (ts, id)
            ), made AS (
                INSERT INTO oneroof.tail_stretch (worker_name, source_name, shard, keys_ts, keys_id, key_count)
                SELECT :worker, :source, :shard, array_agg(k.ts ORDER BY k.place), array_agg(k.id ORDER BY k.place), count(*)
                FROM keys k
                GROUP BY k.place / 5000
                RETURNING batch_no, key_count
            )
            SELECT array_agg(made.batch_no) AS numbers, array_agg(made.key_count) AS counts,
                   (SELECT array_agg(small.batch_no) FROM small) AS gone
            FROM made
            """;

    /** Keys that are stored as handled, if the transaction commits. */
    public record Captured(
            StretchBatches batches, int rows, @Nullable Watermark head) {
        public long firstBatch() {
            return batches.keysByNumber().firstKey();
        }

        public long lastBatch() {
            return batches.keysByNumber().lastKey();
        }
    }

    /** The batches that settled has not passed. */
    public StretchBatches open(Tx tx, Scope scope) {
        return tx.query(OPEN)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .map((row, context) -> StretchBatches.of(row, "numbers", "counts"))
                .one();
    }

    /** Stores the keys of a page; empty when it has no rows. */
    public Optional<Captured> capture(Tx tx, Scope scope, Page page, boolean untimed) {
        OrderKey key = new OrderKey(page.source());
        // A key without a time is never in the future. A bare "true" cannot be grouped by.
        String reached = untimed || page.source().time() == null
                ? "page.order_id IS NOT NULL"
                : key.isNotInTheFuture("page.order_ts");
        // The page contains text of users; only the statement around it is OneRoof's.
        return tx.asWritten()
                .query(tx.schema().applyTo(CAPTURE).formatted(page.select("1"), reached))
                .bindMap(page.parameters())
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("untimed", untimed)
                .map((row, context) -> new Captured(
                        StretchBatches.of(row, "numbers", "counts"),
                        row.getInt("rows"),
                        Watermark.ofNullable(row.getString("head_ts"), row.getString("head_id"))))
                .findOne();
    }

    /** Settled has passed the watermark: the batches at or below it are kept for a while. Returns their numbers. */
    public List<Long> keepUpTo(Tx tx, Scope scope, OrderKey key, Watermark settled, StretchBatches among) {
        return passed(tx, KEEP, scope, key, settled, among);
    }

    /** Deletes the batches at or below the watermark, and those that were kept. Returns their numbers. */
    public List<Long> dropUpTo(Tx tx, Scope scope, OrderKey key, Watermark settled) {
        return passed(tx, DROP, scope, key, settled, StretchBatches.NONE);
    }

    private static List<Long> passed(
            Tx tx, String sql, Scope scope, OrderKey key, Watermark settled, StretchBatches among) {
        String passed = key.isNotLower(":settled_ts", ":settled_id", "last_ts", "last_id");
        String statement = sql.formatted(passed);
        var query = tx.query(statement)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("settled_id", settled.id());
        if (statement.contains(":settled_ts")) {
            query.bind("settled_ts", settled.ts());
        }
        if (statement.contains(":among")) {
            query.bind("among", StretchBatches.array(among.numbers()));
        }
        return query.mapTo(Long.class).list();
    }

    /** Deletes kept keys that are too old or too many; returns where the kept ones start now, if that has changed. */
    public Optional<Watermark> trim(Tx tx, Scope scope, OrderKey key, Duration keptFor, long keptKeys) {
        // The highest watermark, and not the latest by the clock; without an id it is the end of its time.
        String highest = (key.source().time() == null ? "" : key.asTs("settled_ts") + " DESC, ")
                + key.asId("settled_id") + " DESC NULLS FIRST";
        return tx.query(TRIM.formatted(highest))
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("kept_seconds", keptFor.toMillis() / 1000.0)
                .bind("kept_keys", keptKeys)
                .map((row, context) -> new Watermark(row.getString("settled_ts"), row.getString("settled_id")))
                .findOne();
    }

    /** The batches that a merge has made, and those it has deleted. */
    public record Merged(StretchBatches made, List<Long> gone) {}

    /** Merges small batches into large ones. The stored keys stay the same. */
    public Merged merge(Tx tx, Scope scope, OrderKey key, List<Long> small) {
        boolean timed = key.source().time() != null;
        String reached = timed ? key.isNotInTheFuture(key.asTs("last_ts")) : "true";
        String order = timed ? key.asTs("k.ts") + ", " + key.asId("k.id") : key.asId("k.id");
        return tx.query(MERGE.formatted(reached, order))
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("among", StretchBatches.array(small))
                .map((row, context) -> new Merged(
                        StretchBatches.of(row, "numbers", "counts"),
                        row.getArray("gone") == null
                                ? List.of()
                                : List.of((Long[]) row.getArray("gone").getArray())))
                .one();
    }
}
