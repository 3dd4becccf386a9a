package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.Holder;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Page;
import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.read.UntimedPage;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.Shape;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What can be told of a cursor from outside its worker. Counts stop at a cap: a look must not hurt. */
public final class CursorReport {
    public static final long COUNTED_UP_TO = 100_000;

    private static final String BEHIND = """
            SELECT count(*), min(p.order_ts)::text AS first_ts
            FROM (
            %s) p
            """;

    private static final String ENDS = """
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
            SELECT lease_owner, lease_until > clock_timestamp() AS alive, concat_ws(': ', last_beat_payload ->> 'doing', last_beat_payload ->> 'reason') AS doing,
                   extract(epoch FROM clock_timestamp() - last_tick_at)::float8 AS beat_age
            FROM oneroof.queue_heartbeat
            WHERE executor_name = :executor
            """;

    // As for the lag: older servers subtract no infinity.
    private static final String SETTLED_AGE = """
            SELECT greatest(-1e10, least(1e10,
                       extract(epoch FROM clock_timestamp())::float8 - extract(epoch FROM %s)::float8))
            """;

    private static final String HOLDERS = """
            SELECT DISTINCT format('%s pid %s user %s application ''%s''', l.virtualtransaction,
                       coalesce(l.pid::text, 'none (prepared)'), coalesce(a.usename, '?'), coalesce(a.application_name, ''))
            FROM pg_catalog.pg_locks l
            LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
            WHERE l.virtualtransaction = ANY (CAST(:labels AS text[]))
            """;

    /**
     * A cursor, told.
     *
     * @param rowsBehind rows that are known not to be handled, below head too, counted up to {@link #COUNTED_UP_TO}; and as
     *     many without a time
     * @param notKnown which rows the figures cannot stand for; null where they stand for all
     * @param lagSeconds the age of the first of them; null where there is none, or no time
     * @param settledLagSeconds the age of the settled watermark; null where the source has no time
     * @param owner the instance that holds the lease; null where nobody does
     * @param doing what it said with its last beat
     * @param waiting rows that failed and will be tried again, counted up to {@link #COUNTED_UP_TO}
     * @param openTransactions those that may hold settled back, as sessions
     */
    public record Report(
            Cursor cursor,
            long rowsBehind,
            @Nullable String notKnown,
            @Nullable Double lagSeconds,
            @Nullable Double settledLagSeconds,
            @Nullable String owner,
            @Nullable String doing,
            @Nullable Double beatAgeSeconds,
            long waiting,
            long deadLetters,
            List<String> openTransactions) {}

    /** What a replay would hand out again. */
    public record Preview(
            long rows,
            boolean more,
            @Nullable String first,
            @Nullable String last) {}

    private record Owner(
            @Nullable String name,
            @Nullable String doing,
            @Nullable Double beatAge) {}

    Report of(Tx tx, TailStores stores, Cursor cursor, TailSource source) {
        Shape shape = stores.sources().shape(tx, source);
        Stretch handled = Stretch.all(tx.schema(), cursor.scope(), Stretch.Part.TIMED);
        @Nullable Watermark from = lowerHand(tx, stores, cursor, new OrderKey(source, shape.collation()));
        KeysetPage open = new KeysetPage(source, shape.partitioned(), from, null, handled, (int) COUNTED_UP_TO);
        long behind = counted(tx, open);
        if (shape.untimed()) {
            Stretch known = Stretch.all(tx.schema(), cursor.scope(), Stretch.Part.UNTIMED);
            behind += counted(tx, new UntimedPage(source, known, (int) COUNTED_UP_TO));
        }
        Optional<Owner> owner = owner(tx, cursor);
        String labels =
                stores.bounds().holders(tx).stream().map(Holder::label).collect(Collectors.joining(",", "{", "}"));
        return new Report(
                cursor,
                behind,
                stores.sources().notKnown(tx).get(source.name()),
                stores.contracts()
                        .lagSeconds(tx, new KeysetPage(source, shape.partitioned(), from, null, handled, 1))
                        .orElse(null),
                settledAge(tx, source, cursor),
                owner.map(Owner::name).orElse(null),
                owner.map(Owner::doing).orElse(null),
                owner.map(Owner::beatAge).orElse(null),
                stores.pendings().waiting(tx, cursor.scope(), COUNTED_UP_TO),
                stores.pendings().dead(tx, cursor.scope(), COUNTED_UP_TO),
                tx.query(HOLDERS).bind("labels", labels).mapTo(String.class).list());
    }

    private static long counted(Tx tx, Page page) {
        return tx.asWritten()
                .query(BEHIND.formatted(page.select("1")))
                .bindMap(page.parameters())
                .map((row, context) -> row.getLong(1))
                .one();
    }

    /** Settled lags behind head while transactions are open; where nothing came for long, it has passed head. */
    private static @Nullable Watermark lowerHand(Tx tx, TailStores stores, Cursor cursor, OrderKey key) {
        Watermark head = cursor.head();
        Watermark settled = cursor.settled();
        return head == null || settled == null || stores.contracts().isLower(tx, key, head, settled) ? head : settled;
    }

    private static Optional<Owner> owner(Tx tx, Cursor cursor) {
        return tx.query(OWNER)
                .bind("executor", cursor.scope().executorName())
                .map((row, context) -> new Owner(
                        row.getBoolean("alive") ? row.getString("lease_owner") : null,
                        row.getString("doing"),
                        row.getDouble("beat_age")))
                .findOne();
    }

    private static @Nullable Double settledAge(Tx tx, TailSource source, Cursor cursor) {
        Watermark settled = cursor.settled();
        TailSource.TimeColumn time = source.time();
        if (settled == null || settled.ts() == null || time == null) {
            return null;
        }
        String at = new OrderKey(source).momentOf(":ts");
        return tx.query(SETTLED_AGE.formatted(at))
                .bind("ts", settled.ts())
                .mapTo(Double.class)
                .one();
    }

    Preview preview(Tx tx, TailStores stores, Cursor cursor, TailSource source, @Nullable Watermark to) {
        Shape shape = stores.sources().shape(tx, source);
        demandFits(tx, stores, source, shape, cursor, to);
        if (cursor.head() == null) {
            return new Preview(0, false, null, null);
        }
        return between(tx, new KeysetPage(source, shape.partitioned(), to, cursor.head(), null, (int) COUNTED_UP_TO));
    }

    /** How many rows a page has, counted up to its limit, and where they begin and end. */
    static Preview between(Tx tx, KeysetPage page) {
        return tx.asWritten()
                .query(ENDS.formatted(page.select("1")))
                .bindMap(page.parameters())
                .map((row, context) -> new Preview(
                        row.getLong("rows"),
                        row.getLong("rows") >= COUNTED_UP_TO,
                        row.getString("first"),
                        row.getString("last")))
                .one();
    }

    /** A replay goes back, to a place that the source's types can tell. */
    static void demandFits(
            Tx tx, TailStores stores, TailSource source, Shape shape, Cursor cursor, @Nullable Watermark to) {
        if (to == null) {
            return;
        }
        if ((to.ts() == null) != (source.time() == null) || (to.id() == null && source.time() == null)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "to: '%s' is no place in '%s'; allowed is %s"
                            .formatted(
                                    to,
                                    source.name(),
                                    source.time() == null ? "an id" : "a time, or a time and an id"));
        }
        demandTime(source, to);
        Watermark settled = cursor.settled();
        if (settled == null) {
            return;
        }
        OrderKey key = new OrderKey(source, shape.collation());
        boolean back;
        try {
            back = !stores.contracts().isLower(tx, key, settled, to);
        } catch (RuntimeException e) {
            String state = SqlState.of(e);
            if (state == null || !state.startsWith("22")) {
                throw e;
            }
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "to: '%s' cannot be read as a key of '%s' (%s)".formatted(to, source.name(), key.describe()));
        }
        if (!back) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "to: '%s' lies above the settled watermark %s; a replay goes back".formatted(to, settled));
        }
    }

    private static void demandTime(TailSource source, Watermark to) {
        TailSource.TimeColumn time = source.time();
        String written = to.ts();
        if (time != null && written != null && !time.type().isWritten(written)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "to_time: '%s' is not allowed; allowed is %s"
                            .formatted(written, time.type().allowed()));
        }
    }
}
