package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Tx;
import java.math.BigDecimal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What can be seen of a source's contract while it is tailed, for the price of an index probe. */
final class ContractStore {
    // The highest id is that of this statement's snapshot, the sequence's value that of this moment: the first cannot
    // be
    // above the second unless somebody has chosen an id.
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

    // Not the age of the difference: older servers subtract no infinity. A row before all time is 317 years old.
    private static final String LAG = """
            SELECT least(extract(epoch FROM clock_timestamp())::float8 - extract(epoch FROM p.order_at)::float8, 1e10)
            FROM (
            %s) p
            WHERE p.order_at <= clock_timestamp()
            """;

    /** A sequence as it stands; its last value is null where it may not be read. */
    record Sequence(
            long increment,
            long cache,
            boolean cycles,
            @Nullable BigDecimal lastValue,
            @Nullable BigDecimal highest) {}

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
