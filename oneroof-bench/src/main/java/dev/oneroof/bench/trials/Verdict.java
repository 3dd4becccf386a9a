package dev.oneroof.bench.trials;

import dev.oneroof.bench.Figure;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Holds what was handled against what is in the source, and who handled it against who was allowed to.
 *
 * <p>A commit by a lost owner is told without clocks and without a lock that would keep two owners apart by itself. Every
 * effect bears its epoch, its transaction, and the snapshot of its statement. A transaction that the first batch of a
 * higher epoch cannot see had not been committed when that epoch's claim had. Were the fence sound, the claim would have come
 * after the commit, and every snapshot after the claim would see it. Later snapshots see more, so the first of each epoch is
 * enough.
 */
final class Verdict {
    private static final String COUNTS = """
            WITH effects AS MATERIALIZED (
                SELECT mark, count(*) AS times FROM %1$s.handled WHERE tail = :tail GROUP BY mark)
            SELECT (SELECT count(*) FROM %1$s.%2$s s WHERE NOT EXISTS (SELECT FROM effects e WHERE e.mark = s.mark)) AS lost,
                   (SELECT coalesce(sum(times - 1), 0) FROM effects) AS twice,
                   (SELECT count(*) FROM effects e WHERE NOT EXISTS (SELECT FROM %1$s.%2$s s WHERE s.mark = e.mark)) AS ghosts,
                   (SELECT count(*) FROM %1$s.handled WHERE tail = :tail AND session !~ ' epoch [0-9]+$') AS nameless
            """;

    private static final String STALE = """
            WITH batches AS MATERIALIZED (
                SELECT DISTINCT xid, substring(session FROM ' epoch ([0-9]+)$')::bigint AS epoch, sees::text AS sees
                FROM %1$s.handled
                WHERE tail = :tail
            ), first_of_epoch AS MATERIALIZED (
                SELECT DISTINCT ON (epoch) epoch, sees::pg_snapshot AS sees
                FROM batches
                ORDER BY epoch, batches.xid)
            SELECT count(DISTINCT old.xid)
            FROM batches old
            JOIN first_of_epoch next ON next.epoch > old.epoch AND NOT pg_visible_in_snapshot(old.xid, next.sees)
            """;

    // In strict mode the order of handling is the order of the keys.
    private static final String OUT_OF_ORDER = """
            SELECT count(*)
            FROM (
                SELECT s.%3$s < lag(s.%3$s) OVER (ORDER BY h.no) AS back
                FROM %1$s.handled h
                JOIN %1$s.%2$s s USING (mark)
                WHERE h.tail = :tail) o
            WHERE back
            """;

    private static final String EPOCHS = """
            SELECT count(DISTINCT session) FROM %1$s.handled WHERE tail = :tail
            """;

    private final TrialTables tables;
    private final Database owner;

    Verdict(TrialTables tables, Database owner) {
        this.tables = tables;
        this.owner = owner;
    }

    private record Counts(long lost, long twice, long ghosts, long nameless) {}

    List<Figure> figures(TailSource source) {
        String name = "%s %s".formatted(source.contract(), source.mode()).toLowerCase(Locale.ROOT);
        Counts counts = counts(source.name(), source.relation().table());
        List<Figure> figures = new ArrayList<>(List.of(
                Figure.exactly(name + ": lost", counts.lost(), 0),
                Figure.exactly(name + ": handled twice", counts.twice(), 0),
                Figure.exactly(name + ": handled though never committed", counts.ghosts(), 0),
                Figure.exactly(name + ": effects without an epoch", counts.nameless(), 0),
                Figure.exactly(name + ": commits by a lost owner", staleCommits(source.name()), 0),
                Figure.atLeast(name + ": owners that handled rows", (double) count(EPOCHS, source.name()), 1)));
        if (source.mode() == Mode.STRICT) {
            figures.add(Figure.exactly(name + ": out of order", outOfOrder(source), 0));
        }
        return figures;
    }

    long twice(String tail, String table) {
        return counts(tail, table).twice();
    }

    long staleCommits(String tail) {
        return count(STALE, tail);
    }

    private Counts counts(String tail, String table) {
        return owner.inTx(tx -> tx.query(COUNTS.formatted(tables.schema(), table))
                .bind("tail", tail)
                .map((row, context) -> new Counts(
                        row.getLong("lost"), row.getLong("twice"), row.getLong("ghosts"), row.getLong("nameless")))
                .one());
    }

    private long outOfOrder(TailSource source) {
        String key = source.contract() == OrderContract.CLOCK ? "created_at" : "id";
        return owner.inTx(tx -> tx.query(OUT_OF_ORDER.formatted(
                        tables.schema(), source.relation().table(), key))
                .bind("tail", source.name())
                .mapTo(Long.class)
                .one());
    }

    private long count(String sql, String tail) {
        return owner.inTx(tx -> tx.query(sql.formatted(tables.schema()))
                .bind("tail", tail)
                .mapTo(Long.class)
                .one());
    }
}
