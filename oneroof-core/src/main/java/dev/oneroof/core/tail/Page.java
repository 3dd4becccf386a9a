package dev.oneroof.core.tail;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The next rows of a source, by keyset: those after a watermark, in order, at most so many. It is a piece of SQL, so
 * that an effect can use it inside one set-based statement and no row has to leave the server.
 */
public record Page(TailSource source, @Nullable Watermark after, int limit) {

    /**
     * A SELECT of the given columns with the order key as {@code order_ts} and {@code order_id}, to be bound with
     * {@link #parameters}.
     *
     * <p>The watermark is bound and not joined from the cursor's row: a join loses the index. The limit is a literal:
     * with a parameter a generic plan has to guess how many rows are wanted, and guesses a tenth of the table.
     */
    public String select(String columns) {
        TailSource.TimeColumn time = source.time();
        String id = source.id().quoted();
        String key = time == null ? id : time.quoted() + ", " + id;
        return """
                SELECT %s, %s AS order_ts, %s AS order_id
                FROM %s
                WHERE %s%s%s
                ORDER BY %s
                LIMIT %d""".formatted(
                        columns,
                        time == null ? "NULL" : time.quoted(),
                        id,
                        source.relation().quoted(),
                        time == null ? "true" : time.quoted() + " IS NOT NULL",
                        after == null ? "" : "\n  AND " + afterWatermark(time),
                        source.filter() == null ? "" : "\n  AND (" + source.filter() + ")",
                        key,
                        limit);
    }

    public Map<String, String> parameters() {
        if (after == null) {
            return Map.of();
        }
        return after.ts() == null
                ? Map.of("after_id", after.id())
                : Map.of("after_ts", after.ts(), "after_id", after.id());
    }

    private String afterWatermark(TailSource.@Nullable TimeColumn time) {
        String boundId = "CAST(:after_id AS %s)".formatted(source.id().type().sql());
        if (time == null) {
            return "%s > %s".formatted(source.id().quoted(), boundId);
        }
        String boundTs = "CAST(:after_ts AS %s)".formatted(time.type().sql());
        // The row comparison walks the index; the plain one beside it lets a partitioned source prune.
        return "(%1$s, %2$s) > (%3$s, %4$s) AND %1$s >= %3$s"
                .formatted(time.quoted(), source.id().quoted(), boundTs, boundId);
    }
}
