package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.read.Holder;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Page;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Tx;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the figures of a cursor for an operator. */
final class CursorReportStore {
    private static final String COUNT = """
            SELECT count(*)
            FROM (
            %s) p
            """;

    private static final String PREVIEW = """
            WITH page AS MATERIALIZED (
            %s
            )
            SELECT count(*) AS rows,
                   (SELECT concat_ws(',', f.order_ts::text, f.order_id::text)
                    FROM page f ORDER BY f.order_ts, f.order_id LIMIT 1) AS first,
                   (SELECT concat_ws(',', l.order_ts::text, l.order_id::text)
                    FROM page l ORDER BY l.order_ts DESC, l.order_id DESC LIMIT 1) AS last
            FROM page
            """;

    private static final String OWNER = """
            SELECT CASE WHEN lease_until > clock_timestamp() THEN lease_owner END AS owner,
                   concat_ws(': ', last_beat_payload ->> 'doing', last_beat_payload ->> 'reason') AS doing,
                   extract(epoch FROM clock_timestamp() - last_tick_at)::float8 AS beat_age
            FROM oneroof.queue_heartbeat
            WHERE executor_name = :executor
            """;

    // Servers before 17 cannot subtract an infinite time: the subtraction is one of numbers.
    private static final String SETTLED_AGE = """
            SELECT greatest(-1e10, least(1e10,
                       extract(epoch FROM clock_timestamp())::float8 - extract(epoch FROM %s)::float8))
            """;

    private static final String SESSIONS = """
            SELECT DISTINCT concat(
                       l.virtualtransaction,
                       ' pid ', coalesce(l.pid::text, 'none (prepared)'),
                       ' user ', coalesce(a.usename, '?'),
                       ' application ''', a.application_name, '''')
            FROM pg_catalog.pg_locks l
            LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
            WHERE l.virtualtransaction = ANY (CAST(:labels AS text[]))
            """;

    /**
     * The instance that holds the lease of a cursor.
     *
     * @param name null where the lease has expired or was released
     * @param doing the activity and the reason of the last beat
     */
    record Owner(
            @Nullable String name,
            @Nullable String doing,
            @Nullable Double beatAgeSeconds) {}

    /** How many rows a page has. */
    long count(Tx tx, Page page) {
        return tx.asWritten()
                .query(COUNT.formatted(page.select("1")))
                .bindMap(page.parameters())
                .mapTo(Long.class)
                .one();
    }

    /** How many rows a page has, counted up to its limit, with its first and its last key. */
    CursorReport.Preview preview(Tx tx, KeysetPage page) {
        return tx.asWritten()
                .query(PREVIEW.formatted(page.select("1")))
                .bindMap(page.parameters())
                .map((row, context) -> new CursorReport.Preview(
                        row.getLong("rows"),
                        row.getLong("rows") >= CursorReport.COUNTED_UP_TO,
                        row.getString("first"),
                        row.getString("last")))
                .one();
    }

    Optional<Owner> owner(Tx tx, Scope scope) {
        return tx.query(OWNER)
                .bind("executor", scope.executorName())
                .map((row, context) ->
                        new Owner(row.getString("owner"), row.getString("doing"), row.getDouble("beat_age")))
                .findOne();
    }

    /** The age of the settled watermark; empty where it has no time. */
    Optional<Double> settledAgeSeconds(Tx tx, TailSource source, @Nullable Watermark settled) {
        if (settled == null || settled.ts() == null || source.time() == null) {
            return Optional.empty();
        }
        return Optional.of(tx.query(SETTLED_AGE.formatted(new OrderKey(source).momentOf(":ts")))
                .bind("ts", settled.ts())
                .mapTo(Double.class)
                .one());
    }

    /** The sessions of open transactions, for an operator to read. */
    List<String> sessions(Tx tx, Set<Holder> holders) {
        String labels = holders.stream().map(Holder::label).collect(Collectors.joining(",", "{", "}"));
        return tx.query(SESSIONS).bind("labels", labels).mapTo(String.class).list();
    }
}
