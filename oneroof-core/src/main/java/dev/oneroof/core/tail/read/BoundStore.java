package dev.oneroof.core.tail.read;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bound and the open transactions for the barrier, in two separate statements and in this order; see {@link
 * dev.oneroof.core.tail.read.Barrier}.
 */
public final class BoundStore {
    /** More than a transaction can take from the arrival of its message to the lock on its virtual id. */
    public static final Duration GUARD = Duration.ofSeconds(1);

    // A clock that has stepped back gives no bound until it has caught up: a transaction that starts now may write
    // below the last bound.
    private static final String CLOCK_BOUND = """
            SELECT CASE WHEN CAST(:previous AS %1$s) IS NULL OR b.bound >= CAST(:previous AS %1$s) THEN b.bound::text END
            FROM (SELECT %2$s - make_interval(secs => :guard) AS bound) b
            """;

    private static final String CLOCK_BELOW = """
            SELECT b.bound::text
            FROM (SELECT %2$s - make_interval(secs => :guard) AS bound) b
            WHERE b.bound < CAST(:kept AS %1$s)
            """;

    // One explicit high id must not lift the bound above the last value of the sequence. Where the sequence cannot be
    // read, the highest id of the table is the bound, unless it is far above the second highest. A sequence that was
    // set back gives no bound until it has caught up.
    private static final String SEQUENCE_BOUND = """
            SELECT CASE WHEN CAST(:previous AS %1$s) IS NULL OR b.bound >= CAST(:previous AS %1$s) THEN b.bound::text END
            FROM (
                SELECT CASE
                    WHEN has_sequence_privilege(s.name, 'SELECT')
                    THEN least(top.first, CAST(pg_sequence_last_value(s.name::regclass) AS %1$s))
                    WHEN top.first::numeric - coalesce(top.second, CAST(:previous AS %1$s))::numeric > 1000000
                    THEN top.second
                    ELSE top.first
                END AS bound
                FROM (SELECT coalesce(pg_get_serial_sequence(:relation, :column), (
                    SELECT q.seqrelid::regclass::text
                    FROM pg_catalog.pg_attribute c
                    JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.attrelid AND d.adnum = c.attnum
                    JOIN pg_catalog.pg_depend f ON f.classid = 'pg_attrdef'::regclass AND f.objid = d.oid
                    JOIN pg_catalog.pg_sequence q ON q.seqrelid = f.refobjid
                    WHERE c.attrelid = CAST(:relation AS regclass) AND c.attname = :column
                    LIMIT 1)) AS name) s
                CROSS JOIN (
                    SELECT max(h.id) AS first, CASE WHEN count(*) > 1 THEN min(h.id) END AS second
                    FROM (SELECT %2$s AS id FROM %3$s ORDER BY %2$s DESC LIMIT 2) h) top) b
            """;

    private static final String TOP = """
            SELECT %1$s::text AS key_ts, %2$s::text AS key_id
            FROM %3$s
            WHERE %4$s AND %5$s
            ORDER BY %6$s
            LIMIT 1
            """;

    // Every open transaction shows its own virtual id. A prepared one has lost it, but keeps the label, with no
    // process. Left out are this session, processes without a user (autovacuum) and other databases. A process that
    // cannot be identified counts.
    private static final String HOLDERS = """
            SELECT DISTINCT l.virtualtransaction
            FROM pg_catalog.pg_locks l
            LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
            LEFT JOIN pg_catalog.pg_prepared_xacts p ON l.pid IS NULL AND p.transaction = l.transactionid
            WHERE ((l.locktype = 'virtualxid' AND l.virtualxid = l.virtualtransaction)
                   OR (l.locktype = 'transactionid' AND l.pid IS NULL))
              AND l.pid IS DISTINCT FROM pg_backend_pid()
              AND (a.pid IS NULL
                   OR (a.usesysid IS NOT NULL
                       AND a.datid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())))
              AND (p.database IS NULL OR p.database = current_database())
            """;

    private static final String SKIPPED = """
            SELECT worker_name, source_name, shard, holder
            FROM oneroof.tail_skip
            WHERE expires_at > clock_timestamp()
            """;

    // Their sessions, as far as any role may see.
    private static final String NAMED = """
            SELECT string_agg(DISTINCT format(
                       '%s (pid %s, user %s, application ''%s'')',
                       l.virtualtransaction, coalesce(l.pid::text, 'none: prepared'), coalesce(a.usename, '?'),
                       coalesce(a.application_name, '')), ', ')
            FROM pg_catalog.pg_locks l
            LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
            WHERE l.virtualtransaction = ANY (CAST(:labels AS text[]))
            """;

    /** The bound now; empty where the contract has none, or the source no row yet. */
    public Optional<Watermark> bound(Tx tx, TailSource source, @Nullable Watermark previous) {
        return switch (source.contract()) {
            case CLOCK -> clockBound(tx, source, previous);
            case SEQUENCE -> sequenceBound(tx, source, previous);
            case EXTERNAL -> Optional.empty();
        };
    }

    /** The open transactions. */
    public Set<Holder> holders(Tx tx) {
        return tx.query(HOLDERS).mapTo(String.class).stream().map(Holder::new).collect(Collectors.toSet());
    }

    /** Those that operators have chosen not to wait for, and where. */
    Map<Scope, Set<Holder>> skipped(Tx tx) {
        return tx
                .query(SKIPPED)
                .map((row, context) -> Map.entry(
                        new Scope(row.getString("worker_name"), row.getString("source_name"), row.getInt("shard")),
                        new Holder(row.getString("holder"))))
                .stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toSet())));
    }

    /** Their sessions, for an operator to read; those that have ended are left out. */
    public Optional<String> named(Tx tx, Set<Holder> holders) {
        String labels = holders.stream().map(Holder::label).collect(Collectors.joining(",", "{", "}"));
        return tx.query(NAMED).bind("labels", labels).mapTo(String.class).findOne();
    }

    /** The key of the last row that is not in the future. */
    public Optional<Watermark> top(Tx tx, TailSource source) {
        OrderKey key = new OrderKey(source);
        return last(tx, source, key, key.isNotInTheFuture(key.ts()));
    }

    /** The key of the last row whose time is outside of the source's re-read window. */
    public Optional<Watermark> topOutsideWindow(Tx tx, TailSource source) {
        OrderKey key = new OrderKey(source);
        String window =
                "make_interval(secs => %d)".formatted(source.rereadWindow().toSeconds() + 1);
        return last(tx, source, key, key.isOlderThan(key.ts(), window));
    }

    private static Optional<Watermark> last(Tx tx, TailSource source, OrderKey key, String condition) {
        String descending = source.time() == null ? key.id() + " DESC" : key.ts() + " DESC, " + key.id() + " DESC";
        String sql =
                TOP.formatted(key.ts(), key.id(), source.relation().quoted(), key.isThere(), condition, descending);
        return tx.query(sql)
                .map((row, context) -> new Watermark(row.getString("key_ts"), row.getString("key_id")))
                .findOne();
    }

    private static Optional<Watermark> clockBound(Tx tx, TailSource source, @Nullable Watermark previous) {
        TailSource.TimeColumn time = source.time();
        if (time == null) {
            return Optional.empty();
        }
        String sql = CLOCK_BOUND.formatted(time.type().sql(), OrderKey.clock(time));
        return tx.query(sql)
                .bind("previous", Watermark.tsOf(previous))
                .bind("guard", (double) GUARD.toSeconds())
                .mapTo(String.class)
                .findOne()
                .map(bound -> new Watermark(bound, null));
    }

    /** The time below which no transaction has started to write for that long, where it is below the watermark. */
    public Optional<String> clockBelow(Tx tx, TailSource source, Watermark kept, Duration since) {
        TailSource.TimeColumn time = source.time();
        if (time == null) {
            return Optional.empty();
        }
        return tx.query(CLOCK_BELOW.formatted(time.type().sql(), OrderKey.clock(time)))
                .bind("kept", kept.ts())
                .bind("guard", GUARD.plus(since).toMillis() / 1000.0)
                .mapTo(String.class)
                .findOne();
    }

    private static Optional<Watermark> sequenceBound(Tx tx, TailSource source, @Nullable Watermark previous) {
        String sql = SEQUENCE_BOUND.formatted(
                source.id().type().sql(),
                source.id().quoted(),
                source.relation().quoted());
        return tx.query(sql)
                .bind("previous", Watermark.idOf(previous))
                .bind("relation", source.relation().quoted())
                .bind("column", source.id().column())
                .mapTo(String.class)
                .findOne()
                .map(id -> new Watermark(null, id));
    }
}
