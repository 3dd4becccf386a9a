package dev.oneroof.core.tail.read;

import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.UserTx;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The next rows between two watermarks, in order and up to a limit, without those whose keys are in the stretch.
 *
 * <p>The watermarks are bound and not joined from the cursor's row: a join loses the index. The limit is a literal:
 * with a parameter a generic plan has to guess the number of rows, and takes a tenth of the table.
 *
 * @param partitioned whether partitions are to be pruned
 * @param stretch the handled keys to leave out; null where there are none
 * @param ahead reads the next page while this one is handled; null where no page may be read ahead
 */
public record KeysetPage(
        TailSource source,
        boolean partitioned,
        @Nullable Watermark after,
        @Nullable Watermark upTo,
        @Nullable Stretch stretch,
        int limit,
        @Nullable LookAhead ahead)
        implements Page {
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    public KeysetPage(
            TailSource source,
            boolean partitioned,
            @Nullable Watermark after,
            @Nullable Watermark upTo,
            @Nullable Stretch stretch,
            int limit) {
        this(source, partitioned, after, upTo, stretch, limit, null);
    }

    /** The same number of rows after another watermark. */
    public KeysetPage after(@Nullable Watermark place, LookAhead lookAhead) {
        return new KeysetPage(source, partitioned, place, upTo, stretch, limit, lookAhead);
    }

    @Override
    public String select(String columns) {
        OrderKey key = new OrderKey(source);
        return selected(key, "%s, %s, %s AS order_at".formatted(columns, named(key), key.at()));
    }

    /** Like {@link #select}, with only the columns and the key. */
    public String selectRows(List<String> columns) {
        OrderKey key = new OrderKey(source);
        return selected(key, columns.isEmpty() ? named(key) : String.join(", ", columns) + ", " + named(key));
    }

    private static String named(OrderKey key) {
        return "%s AS order_ts, %s AS order_id".formatted(key.ts(), key.id());
    }

    private String selected(OrderKey key, String output) {
        StringBuilder conditions = new StringBuilder(key.isThere());
        if (after != null) {
            conditions.append("\n  AND ").append(key.isAfter(after, "page_after"));
            if (partitioned) {
                conditions.append("\n  AND ").append(key.isNotBefore(after, "page_after"));
            }
        }
        if (upTo != null) {
            conditions.append("\n  AND ").append(key.isUpTo(upTo, "page_up_to"));
        }
        if (source.filter() != null) {
            conditions.append("\n  AND (").append(source.filter()).append(")");
        }
        if (stretch != null) {
            conditions.append("\n  AND ").append(stretch.holdsNot(key, after, upTo));
        }
        return """
                SELECT %s
                FROM %s
                WHERE %s
                ORDER BY %s%s""".formatted(
                        output,
                        source.relation().quoted(),
                        conditions,
                        key.order(),
                        limit == NO_LIMIT ? "" : "\nLIMIT " + limit);
    }

    /**
     * The same rows as a range without a limit, if this page is full and below the barrier: its last key is looked up
     * first, in the index. Between the two statements no row can enter the range. If one does, because the contract is
     * broken, it is handled with the others.
     */
    public Optional<KeysetPage> whole(UserTx tx) {
        return upTo == null || limit == NO_LIMIT
                ? Optional.empty()
                : lastOfFull(tx).map(end -> new KeysetPage(source, partitioned, after, end, stretch, NO_LIMIT));
    }

    /** The key of the row this many unfiltered rows ahead; empty where there are fewer. */
    public Optional<Watermark> unfilteredStep(UserTx tx, int rows) {
        return new KeysetPage(source.unfiltered(), partitioned, after, upTo, null, rows).lastOfFull(tx);
    }

    public KeysetPage upTo(Watermark end) {
        return new KeysetPage(source, partitioned, after, end, stretch, limit);
    }

    /** The key of its last row, if the page is full. */
    public Optional<Watermark> lastOfFull(UserTx tx) {
        String last = "SELECT p.order_ts::text AS ts, p.order_id::text AS id FROM (%s) p OFFSET %s LIMIT 1"
                .formatted(select("1"), limit - 1);
        return tx.query(last)
                .bindMap(parameters())
                .map((row, context) -> new Watermark(row.getString("ts"), row.getString("id")))
                .findOne();
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> bound = new HashMap<>();
        put(bound, "page_after", after);
        put(bound, "page_up_to", upTo);
        if (stretch != null) {
            bound.putAll(stretch.parameters());
        }
        return bound;
    }

    private static void put(Map<String, Object> bound, String name, @Nullable Watermark watermark) {
        if (watermark != null && watermark.ts() != null) {
            bound.put(name + "_ts", watermark.ts());
        }
        if (watermark != null && watermark.id() != null) {
            bound.put(name + "_id", watermark.id());
        }
    }
}
