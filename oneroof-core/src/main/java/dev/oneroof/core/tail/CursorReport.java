package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.read.UntimedPage;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TableShape;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reports on a cursor from outside its worker. Counts stop at a cap, to bound the cost. */
public final class CursorReport {
    public static final long COUNTED_UP_TO = 100_000;

    private final CursorReportStore store = new CursorReportStore();

    /**
     * The figures of a cursor.
     *
     * @param rowsBehind known unhandled rows, also below head, counted up to {@link #COUNTED_UP_TO}, plus those without
     *     a time, counted likewise
     * @param notKnown which rows the figures do not cover; null where they cover all
     * @param lagSeconds the age of the first of those rows; null where there is none, or no time
     * @param settledLagSeconds the age of the settled watermark; null where the source has no time
     * @param owner the instance that holds the lease; null where none does
     * @param doing the activity that it reported with its last beat
     * @param waiting rows that failed and wait for a retry, counted up to {@link #COUNTED_UP_TO}
     * @param openTransactions the sessions of transactions that may hold settled back
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

    Report of(Tx tx, TailStores stores, Cursor cursor, TailSource source) {
        TableShape shape = stores.sources().shape(tx, source);
        Stretch handled = Stretch.all(tx.schema(), cursor.scope(), Stretch.Part.TIMED);
        @Nullable Watermark from = lowerHand(tx, stores, cursor, new OrderKey(source, shape.collation()));
        KeysetPage open = new KeysetPage(source, shape.partitioned(), from, null, handled, (int) COUNTED_UP_TO);
        long behind = store.count(tx, open);
        if (shape.untimed()) {
            Stretch known = Stretch.all(tx.schema(), cursor.scope(), Stretch.Part.UNTIMED);
            behind += store.count(tx, new UntimedPage(source, known, (int) COUNTED_UP_TO));
        }
        Optional<CursorReportStore.Owner> owner = store.owner(tx, cursor.scope());
        return new Report(
                cursor,
                behind,
                stores.sources().notKnown(tx).get(source.name()),
                stores.contracts()
                        .lagSeconds(tx, new KeysetPage(source, shape.partitioned(), from, null, handled, 1))
                        .orElse(null),
                store.settledAgeSeconds(tx, source, cursor.settled()).orElse(null),
                owner.map(CursorReportStore.Owner::name).orElse(null),
                owner.map(CursorReportStore.Owner::doing).orElse(null),
                owner.map(CursorReportStore.Owner::beatAgeSeconds).orElse(null),
                stores.pendings().waiting(tx, cursor.scope(), COUNTED_UP_TO),
                stores.pendings().dead(tx, cursor.scope(), COUNTED_UP_TO),
                store.sessions(tx, stores.bounds().holders(tx)));
    }

    /** Settled is below head while transactions are open; where no row arrived for a while, it has passed head. */
    private static @Nullable Watermark lowerHand(Tx tx, TailStores stores, Cursor cursor, OrderKey key) {
        Watermark head = cursor.head();
        Watermark settled = cursor.settled();
        return head == null || settled == null || stores.contracts().isLower(tx, key, head, settled) ? head : settled;
    }

    Preview preview(Tx tx, TailStores stores, Cursor cursor, TailSource source, @Nullable Watermark to) {
        TableShape shape = stores.sources().shape(tx, source);
        demandFits(tx, stores, source, shape, cursor, to);
        if (cursor.head() == null) {
            return new Preview(0, false, null, null);
        }
        return store.preview(
                tx, new KeysetPage(source, shape.partitioned(), to, cursor.head(), null, (int) COUNTED_UP_TO));
    }

    /** A replay goes back, to a watermark that fits the types of the source. */
    static void demandFits(
            Tx tx, TailStores stores, TailSource source, TableShape shape, Cursor cursor, @Nullable Watermark to) {
        if (to == null) {
            return;
        }
        if ((to.ts() == null) != (source.time() == null) || (to.id() == null && source.time() == null)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "to: '%s' is not a position in '%s'; allowed is %s"
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
                    "to: '%s' is above the settled watermark %s; a replay goes back".formatted(to, settled));
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
