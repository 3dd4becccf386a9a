package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Renewal;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.read.Batches;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.Shape;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a cursor stands as its owner knows it, and the frame of every batch.
 *
 * <p>Each batch is one transaction, in this order: effects, stretch and cursor, fence. The fence stands last, so that the
 * lease is known to be ours at the moment of the commit and not just when the batch began. A crash anywhere leaves all of
 * it or nothing; the next owner goes on from the committed cursor and stretch. What is kept in memory can always be
 * forgotten: it only saves reading again.
 */
final class Position {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);

    private final TailStores stores;
    private final Lease lease;

    /** Below this all is handled; at or above what is committed. */
    private @Nullable Watermark settled;

    /** The settled watermark that we know to be committed; another one in the row is an operator's act. */
    private @Nullable Watermark committed;

    private long version;
    private @Nullable Watermark kept;
    private @Nullable Watermark highestSettled;
    private Batches open = Batches.NONE;
    /** Where the cursor's row was when this was committed: to look it up by key is to step over all its old versions. */
    private String tid = "";

    private Shape shape = new Shape(false, false, null);
    private @Nullable String system;
    private RunSummary run = RunSummary.NOTHING;
    private long rowsInPass;

    /** The cursor is no longer where the batch began. */
    @SuppressWarnings("serial")
    static final class Moved extends RuntimeException {
        private Moved(String message) {
            super(message);
        }
    }

    Position(TailStores stores, Lease lease) {
        this.stores = stores;
        this.lease = lease;
    }

    Scope scope() {
        return lease.scope();
    }

    @Nullable
    Watermark settled() {
        return settled;
    }

    @Nullable
    Watermark kept() {
        return kept;
    }

    /** Where settled stood when the cursor was last read from the database, or before a replay set it back. */
    @Nullable
    Watermark highestSettled() {
        return highestSettled;
    }

    /** The batches of keys above settled. */
    Batches openBatches() {
        return open;
    }

    Shape shape() {
        return shape;
    }

    OrderKey key(TailSource source) {
        return new OrderKey(source, shape.collation());
    }

    long rowsInPass() {
        return rowsInPass;
    }

    void beginPass() {
        rowsInPass = 0;
    }

    /**
     * Reads what is committed; returns why the cursor cannot go on from there, or null. Whoever alters the source counts its
     * cursors' versions up: the version first, the source second, so that no batch goes by an old definition under a new
     * version.
     */
    CursorStore.Past recall(Tx tx, TailSource source) {
        Cursor cursor = stores.cursors().find(tx, scope()).orElseThrow(this::noCursor);
        if (!stores.sources().find(tx, source.name()).filter(source::equals).isPresent()) {
            throw moved();
        }
        shape = stores.sources().shape(tx, source);
        CursorStore.Past past = stores.cursors().past(tx, scope(), key(source));
        committed = cursor.settled();
        version = cursor.version();
        settled = committed;
        kept = cursor.kept();
        highestSettled = past.highestSettled();
        open = stores.stretch().open(tx, scope());
        system = past.system();
        tid = past.tid();
        return past;
    }

    /** Time went by and nothing came: known here, and written with the next batch that has anything to write. */
    void passed(Watermark bound) {
        settled = bound;
    }

    /** What holds for whatever a transaction reads of the source. */
    void prepare(Tx tx) {
        if (stores.cursors().openBatch(tx, lease, tid, READ_TIMEOUT).isEmpty()) {
            throw moved();
        }
    }

    CursorStore.Place open(Tx tx) {
        CursorStore.Place place =
                stores.cursors().openBatch(tx, lease, tid, READ_TIMEOUT).orElseThrow(this::moved);
        if (place.version() != version || !Objects.equals(place.settled(), committed)) {
            throw moved();
        }
        return place;
    }

    /** The end of every batch: the cursor, then the fence. False when the lease is lost; then nothing is committed. */
    boolean close(Tx tx, TailSource source, CursorStore.Place from, CursorStore.Move to, Counts batch) {
        RunSummary after = run.plus(batch);
        Optional<String> moved = stores.cursors().advance(tx, key(source), scope(), from, to, batch, after, system);
        if (moved.isEmpty()) {
            throw goesBack(tx, source, from, to) ? new Regression(scope(), from.settled(), to.settled()) : moved();
        }
        if (stores.leases().fence(tx, lease) == Renewal.LOST) {
            tx.abandon();
            return false;
        }
        tx.onCommit(() -> {
            run = after;
            rowsInPass += batch.rowsSeen();
            settled = to.settled();
            committed = to.settled();
            version = from.version() + 1;
            kept = to.kept();
            tid = moved.get();
        });
        return true;
    }

    private boolean goesBack(Tx tx, TailSource source, CursorStore.Place from, CursorStore.Move to) {
        @Nullable Watermark before = from.settled();
        @Nullable Watermark after = to.settled();
        return before != null && (after == null || stores.contracts().isLower(tx, key(source), after, before));
    }

    /** From here on these are the batches above settled, if this is committed. */
    void holds(Tx tx, Batches batches) {
        tx.onCommit(() -> open = batches);
    }

    /** Thrown to leave the batch; the next pass begins where the cursor is now. */
    private Moved moved() {
        return new Moved("cursor: '%s' was moved or stopped by somebody else".formatted(scope()));
    }

    private OneRoofException noCursor() {
        return new OneRoofException(ErrorCode.NOT_FOUND, "cursor: '%s' does not exist".formatted(scope()));
    }
}
