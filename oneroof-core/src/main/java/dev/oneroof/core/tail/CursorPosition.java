package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Renewal;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.read.StretchBatches;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TableShape;
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
 * The position of a cursor as its owner knows it, and the frame of every batch.
 *
 * <p>Each batch is one transaction, in this order: effects, stretch and cursor, fence. The fence is last, so that it
 * proves the lease at the commit and not just at the start of the batch. A crash anywhere leaves the whole batch or
 * nothing; the next owner continues from the committed cursor and stretch. The state in memory can be dropped at any
 * time: it only saves reading it again.
 */
final class CursorPosition {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);

    private final TailStores stores;
    private final Lease lease;
    private final RunSummaryFields summaryFields;

    /** All rows below are handled. At or above the committed watermark. */
    private @Nullable Watermark settled;

    /** The settled watermark that this owner committed last; another one in the row was set by an operator. */
    private @Nullable Watermark committed;

    private long version;
    private @Nullable Watermark kept;
    private @Nullable Watermark highestSettled;
    private StretchBatches open = StretchBatches.NONE;
    /** The ctid of the cursor's row after the last commit: a lookup by key would step over all its old versions. */
    private String tid = "";

    private TableShape shape = new TableShape(false, false, null);
    private @Nullable String system;
    private RunSummary run = RunSummary.NOTHING;
    private long rowsInPass;

    /** The cursor's row is not as it was when the batch started. */
    @SuppressWarnings("serial")
    static final class CursorMoved extends RuntimeException {
        private CursorMoved(String message) {
            super(message);
        }
    }

    CursorPosition(TailStores stores, Lease lease, RunSummaryFields summaryFields) {
        this.stores = stores;
        this.lease = lease;
        this.summaryFields = summaryFields;
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

    /** The settled watermark when the cursor was last loaded, or the one before a replay set it back. */
    @Nullable
    Watermark highestSettled() {
        return highestSettled;
    }

    /** The batches of keys above settled. */
    StretchBatches openBatches() {
        return open;
    }

    TableShape shape() {
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
     * Loads the committed state. An alteration of the source increments the version of each of its cursors. So the
     * version is read first and the source second: no batch uses an old definition under a new version.
     */
    CursorStore.CommittedState load(Tx tx, TailSource source) {
        Cursor cursor = stores.cursors().find(tx, scope()).orElseThrow(this::noCursor);
        if (!stores.sources().find(tx, source.name()).filter(source::equals).isPresent()) {
            throw moved();
        }
        shape = stores.sources().shape(tx, source);
        CursorStore.CommittedState state = stores.cursors().committedState(tx, scope(), key(source));
        committed = cursor.settled();
        version = cursor.version();
        settled = committed;
        kept = cursor.kept();
        highestSettled = state.highestSettled();
        open = stores.stretch().open(tx, scope());
        system = state.system();
        tid = state.tid();
        return state;
    }

    /** Settled has reached the bound and there were no rows. It is stored with the next batch that writes. */
    void passedTo(Watermark bound) {
        settled = bound;
    }

    /** Applies the settings for a transaction that only reads from the source. */
    void prepare(Tx tx) {
        if (stores.cursors().openBatch(tx, lease, tid, READ_TIMEOUT).isEmpty()) {
            throw moved();
        }
    }

    CursorStore.BatchStart open(Tx tx) {
        CursorStore.BatchStart place =
                stores.cursors().openBatch(tx, lease, tid, READ_TIMEOUT).orElseThrow(this::moved);
        if (place.version() != version || !Objects.equals(place.settled(), committed)) {
            throw moved();
        }
        return place;
    }

    /** Ends a batch: the cursor, then the fence. False when the lease is lost; then nothing is committed. */
    boolean close(Tx tx, TailSource source, CursorStore.BatchStart from, CursorStore.Move to, BatchCounts batch) {
        RunSummary after = run.plus(batch);
        Optional<String> moved =
                stores.cursors().advance(tx, key(source), scope(), from, to, batch, after, summaryFields, system);
        if (moved.isEmpty()) {
            throw goesBack(tx, source, from, to)
                    ? new WatermarkRegression(scope(), from.settled(), to.settled())
                    : moved();
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

    private boolean goesBack(Tx tx, TailSource source, CursorStore.BatchStart from, CursorStore.Move to) {
        @Nullable Watermark before = from.settled();
        @Nullable Watermark after = to.settled();
        return before != null && (after == null || stores.contracts().isLower(tx, key(source), after, before));
    }

    /** Sets the batches above settled, if the transaction commits. */
    void setOpenBatches(Tx tx, StretchBatches batches) {
        tx.onCommit(() -> open = batches);
    }

    /** Thrown to leave the batch; the next pass starts from the cursor as it is then. */
    private CursorMoved moved() {
        return new CursorMoved("cursor: '%s' was moved, paused or held outside this worker".formatted(scope()));
    }

    private OneRoofException noCursor() {
        return new OneRoofException(ErrorCode.NOT_FOUND, "cursor: '%s' does not exist".formatted(scope()));
    }
}
