package dev.oneroof.core.tabletail;

import dev.oneroof.core.latecommit.Holder;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the barrier wants to know of the server: a bound, and the open transactions. Two statements, in this order, each
 * on its own; see {@link dev.oneroof.core.latecommit.Barrier}.
 */
final class BoundStore {
    /** More than a transaction can take from the arrival of its message to the lock on its virtual id. */
    static final Duration GUARD = Duration.ofSeconds(1);

    // A clock that steps back holds the bound until it has caught up.
    private static final String CLOCK_BOUND =
            "SELECT greatest(CAST(:previous AS %1$s), %2$s - make_interval(secs => :guard))::text";

    // One explicit high id must not lift the bound above what the sequence has given out. Where the sequence cannot be
    // read, the table's highest id has to do.
    private static final String SEQUENCE_BOUND = """
            SELECT greatest(CAST(:previous AS %1$s), least(
                       (SELECT max(%2$s) FROM %3$s),
                       CASE
                           WHEN has_sequence_privilege(s.name, 'SELECT')
                           THEN CAST(pg_sequence_last_value(s.name::regclass) AS %1$s)
                       END))::text
            FROM (SELECT pg_get_serial_sequence(:relation, :column) AS name) s
            """;

    // Every open transaction shows its own virtual id. A prepared one has lost it, but keeps the label, with no
    // process.
    // Left out are this session, processes without a user (autovacuum), and other databases; what cannot be told
    // counts.
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

    /** The bound now; empty where the contract has none, or the source no row yet. */
    Optional<Watermark> bound(Tx tx, TailSource source, @Nullable Watermark previous) {
        return switch (source.contract()) {
            case CLOCK -> clockBound(tx, source, previous);
            case SEQUENCE -> sequenceBound(tx, source, previous);
            case EXTERNAL -> Optional.empty();
        };
    }

    Set<Holder> holders(Tx tx) {
        return tx.query(HOLDERS).mapTo(String.class).stream().map(Holder::new).collect(Collectors.toSet());
    }

    private static Optional<Watermark> clockBound(Tx tx, TailSource source, @Nullable Watermark previous) {
        TailSource.TimeColumn time = source.time();
        if (time == null) {
            return Optional.empty();
        }
        String sql = CLOCK_BOUND.formatted(time.type().sql(), OrderKey.clock(time));
        return Optional.of(new Watermark(
                tx.query(sql)
                        .bind("previous", Watermark.tsOf(previous))
                        .bind("guard", (double) GUARD.toSeconds())
                        .mapTo(String.class)
                        .one(),
                null));
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
