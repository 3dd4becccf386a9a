package dev.oneroof.core.tail.read;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.SchemaName;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a cursor has handled, in {@code tail_stretch}.
 *
 * @param batches the batches to read; null for all of the part
 */
public record Stretch(
        SchemaName schema, Scope scope, Part part, @Nullable StretchBatches batches) {
    public static Stretch open(SchemaName schema, Scope scope, StretchBatches batches) {
        return new Stretch(schema, scope, Part.OPEN, batches);
    }

    public static Stretch all(SchemaName schema, Scope scope, Part part) {
        return new Stretch(schema, scope, part, null);
    }

    /** Which of the keys. */
    public enum Part {
        /** The keys above the settled watermark. */
        OPEN("s.settled_at IS NULL AND NOT s.untimed"),
        /** Those, and the keys that are kept after settled has passed them. */
        TIMED("NOT s.untimed"),
        /** The keys of rows without a time. */
        UNTIMED("s.untimed");

        private final String condition;

        Part(String condition) {
            this.condition = condition;
        }
    }

    /**
     * A condition that is true for a row between two watermarks whose key is not in the stretch. Batches that end below
     * the first watermark or start above the second are left out, so that a long stretch costs little where only a part
     * of it is read. NOT IN and no anti-join: it is a filter on the index walk, which keeps its order; an anti-join
     * would be followed by a sort of everything before the limit applies.
     */
    String holdsNot(OrderKey key, @Nullable Watermark after, @Nullable Watermark upTo) {
        String byId = key.source().time() == null || part == Part.UNTIMED
                ? "%1$s NOT IN (SELECT CAST(k.id AS %3$s) FROM oneroof.tail_stretch s CROSS JOIN LATERAL unnest(s.keys_id) k (id)"
                : "(%2$s, %1$s) NOT IN (SELECT CAST(k.ts AS %4$s), CAST(k.id AS %3$s) FROM oneroof.tail_stretch s"
                        + " CROSS JOIN LATERAL unnest(s.keys_ts, s.keys_id) k (ts, id)";
        return (schema.applyTo(byId)
                        + " WHERE s.worker_name = :page_worker AND s.source_name = :page_source AND s.shard = :page_shard"
                        + "%5$s AND %6$s%7$s%8$s)")
                .formatted(
                        key.id(),
                        key.ts(),
                        key.idType(),
                        key.tsType(),
                        batches == null ? "" : " AND s.batch_no = ANY(CAST(:page_batches AS bigint[]))",
                        part.condition,
                        endsBehind(key, after),
                        beginsBefore(key, upTo));
    }

    private static String endsBehind(OrderKey key, @Nullable Watermark after) {
        return isCompared(key, after)
                ? " AND NOT "
                        + key.isNotLower(ts(after, "page_after"), id(after, "page_after"), "s.last_ts", "s.last_id")
                : "";
    }

    private static String beginsBefore(OrderKey key, @Nullable Watermark upTo) {
        return isCompared(key, upTo)
                ? " AND " + key.isNotLower(ts(upTo, "page_up_to"), id(upTo, "page_up_to"), "s.first_ts", "s.first_id")
                : "";
    }

    /** Text keys would have to be compared by the column's collation; all batches are read instead. */
    private static boolean isCompared(OrderKey key, @Nullable Watermark watermark) {
        return watermark != null && key.source().id().type() != IdType.TEXT;
    }

    private static String ts(@Nullable Watermark watermark, String name) {
        return Watermark.tsOf(watermark) == null ? "NULL" : ":" + name + "_ts";
    }

    /** Without an id the watermark is the end of its time. */
    private static String id(@Nullable Watermark watermark, String name) {
        return Watermark.idOf(watermark) == null ? "CAST(NULL AS text)" : ":" + name + "_id";
    }

    Map<String, Object> parameters() {
        Map<String, Object> bound = new HashMap<>();
        bound.put("page_worker", scope.worker());
        bound.put("page_source", scope.source());
        bound.put("page_shard", scope.shard());
        if (batches != null) {
            bound.put("page_batches", StretchBatches.array(batches.numbers()));
        }
        return bound;
    }
}
