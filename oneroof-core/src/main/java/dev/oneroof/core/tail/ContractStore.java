package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Tx;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks a source's contract while it is tailed, at the cost of an index probe. */
final class ContractStore {
    // The highest id is read in this statement's snapshot, the last value of the sequence at this moment: the id can be
    // above it only if it was not drawn from the sequence.
    private static final String SEQUENCE = """
            SELECT q.seqincrement, q.seqcache, q.seqcycle,
                   CASE WHEN has_sequence_privilege(s.name, 'SELECT')
                        THEN pg_sequence_last_value(s.name::regclass) END::numeric AS last_value,
                   (SELECT max(%1$s) FROM %2$s)::numeric AS highest
            FROM (SELECT coalesce(pg_get_serial_sequence(:relation, :column), (
                    SELECT q.seqrelid::regclass::text
                    FROM pg_catalog.pg_attribute c
                    JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.attrelid AND d.adnum = c.attnum
                    JOIN pg_catalog.pg_depend f ON f.classid = 'pg_attrdef'::regclass AND f.objid = d.oid
                    JOIN pg_catalog.pg_sequence q ON q.seqrelid = f.refobjid
                    WHERE c.attrelid = CAST(:relation AS regclass) AND c.attname = :column
                    LIMIT 1)) AS name) s
            JOIN pg_catalog.pg_sequence q ON q.seqrelid = s.name::regclass
            """;

    private static final String LOWEST = """
            SELECT %1$s::text AS key_ts, %2$s::text AS key_id
            FROM %3$s
            WHERE %4$s
            ORDER BY %5$s
            LIMIT 1
            """;

    private static final String IS_LOWER = "SELECT NOT %s";

    // The difference of numbers, not of times: servers before 17 cannot subtract an infinite time. The cap of 1e10 s is
    // 317 years.
    private static final String LAG = """
            SELECT least(extract(epoch FROM clock_timestamp())::float8 - extract(epoch FROM p.order_at)::float8, 1e10)
            FROM (
            %s) p
            WHERE p.order_at <= clock_timestamp()
            """;

    private static final String LIMIT_STATEMENT_TIME = "SELECT set_config('statement_timeout', :timeout, true)";

    /** A sequence as it is now; its last value is null where this role may not read it. */
    record Sequence(
            long increment,
            long cache,
            boolean cycles,
            @Nullable BigDecimal lastValue,
            @Nullable BigDecimal highest) {}

    /** Every later statement of the transaction fails when it takes longer. */
    void limitStatementTime(Tx tx, Duration timeout) {
        tx.query(LIMIT_STATEMENT_TIME)
                .bind("timeout", timeout.toMillis() + "ms")
                .mapTo(String.class)
                .one();
    }

    Optional<Sequence> sequence(Tx tx, TailSource source) {
        return tx.query(SEQUENCE.formatted(
                        source.id().quoted(), source.relation().quoted()))
                .bind("relation", source.relation().quoted())
                .bind("column", source.id().column())
                .map((row, context) -> new Sequence(
                        row.getLong("seqincrement"),
                        row.getLong("seqcache"),
                        row.getBoolean("seqcycle"),
                        row.getBigDecimal("last_value"),
                        row.getBigDecimal("highest")))
                .findOne();
    }

    Optional<Watermark> lowest(Tx tx, TailSource source) {
        OrderKey key = new OrderKey(source);
        String sql = LOWEST.formatted(key.ts(), key.id(), source.relation().quoted(), key.isThere(), key.columns());
        return tx.query(sql)
                .map((row, context) -> new Watermark(row.getString("key_ts"), row.getString("key_id")))
                .findOne();
    }

    boolean isLower(Tx tx, OrderKey key, Watermark one, Watermark than) {
        String sql = IS_LOWER.formatted(key.isNotLower(":ts", ":id", ":than_ts", ":than_id"));
        var query = tx.query(sql).bind("id", one.id()).bind("than_id", than.id());
        if (key.source().time() != null) {
            query.bind("ts", one.ts()).bind("than_ts", than.ts());
        }
        return query.mapTo(Boolean.class).one();
    }

    /** How old the first row of the page is; empty when there is none, or when it has no time. */
    Optional<Double> lagSeconds(Tx tx, KeysetPage page) {
        return tx.asWritten()
                .query(LAG.formatted(page.select("1")))
                .bindMap(page.parameters())
                .mapTo(Double.class)
                .findOne();
    }
}
