package dev.oneroof.core.tabletail;

import dev.oneroof.core.latecommit.Barrier;
import dev.oneroof.core.latecommit.Holder;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Renewal;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The two hands of a cursor, under one lease.
 *
 * <p>{@code settled} follows the barrier: it reads what lies below a cleared bound, where nothing can come any more, and
 * remembers nothing but its own place. {@code head} reads whatever is visible above, at once, and writes the keys it
 * handled to the stretch; so a row that commits late is told from a handled one when settled comes by, or head itself
 * looks again because a transaction has ended.
 *
 * <p>Each batch is one transaction, in this order: effects, stretch and cursor, fence. The fence stands last, so that the
 * lease is known to be ours at the moment of the commit and not just when the batch began. A crash anywhere leaves all of
 * it or nothing; the next owner goes on from the committed cursor and stretch. What is kept in memory here can always be
 * forgotten: it only saves reading again.
 */
final class Hands {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);
    /** Past this many remembered keys head waits for settled, instead of growing without end. */
    private static final long LONGEST_STRETCH = 1_000_000;

    private enum Step {
        MORE,
        DONE,
        LOST
    }

    private final Database db;
    private final TailStores stores;
    private final BatchEffect effect;
    private final Lease lease;

    private final Barrier<Watermark> barrier = new Barrier<>();
    private @Nullable Watermark lastBound;
    /** Below this all is handled; at or above what is committed. */
    private @Nullable Watermark settled;

    private long stretchKeys;
    /** The settled watermark that we know to be committed; another one in the row is an operator's act. */
    private @Nullable Watermark committed;

    private boolean known;
    private boolean partitioned;
    private long rowsInPass;
    private RunSummary run = RunSummary.NOTHING;
    private int limit = Integer.MAX_VALUE;

    Hands(Database db, TailStores stores, TailSpec spec, Lease lease) {
        this.db = db;
        this.stores = stores;
        this.effect = spec.effect();
        this.lease = lease;
    }

    void forget() {
        known = false;
        barrier.forget();
        lastBound = null;
    }

    /** Asks for smaller batches from now on; false when they cannot be smaller. */
    boolean halve() {
        if (limit <= 1) {
            return false;
        }
        limit = limit / 2;
        return true;
    }

    Pass pass(TailSource source) {
        limit = Math.min(limit, source.batchSize());
        rowsInPass = 0;
        if (!known) {
            recall(source);
        }
        Step step = source.contract() == OrderContract.EXTERNAL ? readToTheEnd(source) : readByTheBarrier(source);
        return switch (step) {
            case LOST -> new Pass.Lost();
            case MORE -> new Pass.Worked(rowsInPass);
            case DONE -> new Pass.Idle(source.pollInterval());
        };
    }

    private void recall(TailSource source) {
        db.useTx(tx -> {
            partitioned = stores.sources().isPartitioned(tx, source);
            committed = cursor(tx).settled();
            settled = committed;
            stretchKeys = stores.stretch().size(tx, scope());
        });
        known = true;
    }

    private Step readByTheBarrier(TailSource source) {
        mark(source);
        Optional<Watermark> cleared = barrier.cleared();
        if (cleared.isPresent()) {
            Step step = db.inTx(tx -> settle(tx, source, cleared.get()));
            if (step != Step.DONE) {
                return step;
            }
            settled = cleared.get();
            barrier.settled();
        }
        if (source.mode() == Mode.STRICT || stretchKeys >= LONGEST_STRETCH) {
            return Step.DONE;
        }
        Step step = db.inTx(tx -> reachAhead(tx, source));
        if (step == Step.DONE) {
            barrier.read();
        }
        return step;
    }

    /** No barrier is sound where applications make the keys: what is visible is read, in order, once. */
    private Step readToTheEnd(TailSource source) {
        return db.inTx(tx -> settle(tx, source, null));
    }

    /** The bound first, the holders second, each in a statement of its own; rows come third. */
    private void mark(TailSource source) {
        Optional<Watermark> bound = db.inTx(tx -> stores.bounds().bound(tx, source, lastBound));
        Set<Holder> holders = db.inTx(tx -> stores.bounds().holders(tx));
        bound.ifPresent(taken -> {
            barrier.mark(taken, holders, System.nanoTime());
            lastBound = taken;
        });
    }

    /** One batch of what lies between settled and a bound below which all is visible. */
    private Step settle(Tx tx, TailSource source, @Nullable Watermark bound) {
        Cursor cursor = openBatch(tx);
        @Nullable Stretch handled = stretchKeys > 0 ? new Stretch(scope()) : null;
        Batch batch = effect.apply(tx, new KeysetPage(source, partitioned, settled, bound, handled, limit));
        boolean full = batch.rowsSeen() >= limit;
        @Nullable Watermark reached = full || bound == null ? batch.last() : bound;

        int dropped = stretchKeys > 0 && reached != null ? stores.stretch().dropUpTo(tx, scope(), source, reached) : 0;
        if (reached == null || (batch.rowsSeen() == 0 && dropped == 0)) {
            // Nothing happened but that time went by: an empty poll writes nothing.
            tx.abandon();
            return Step.DONE;
        }
        long keys = dropped == 0 ? stretchKeys : stores.stretch().size(tx, scope());
        Step step = commit(tx, source, cursor, new CursorStore.Move(batch.last(), reached), batch, full);
        if (step != Step.LOST) {
            tx.onCommit(() -> {
                settled = reached;
                committed = reached;
                stretchKeys = keys;
            });
        }
        return step;
    }

    /** One batch of what is visible above the bounds, or has become visible below them, and is not handled. */
    private Step reachAhead(Tx tx, TailSource source) {
        Cursor cursor = openBatch(tx);
        Watermark unread = barrier.unreadFrom();
        Watermark from = unread == null ? settled : unread;
        @Nullable Stretch handled = stretchKeys > 0 ? new Stretch(scope()) : null;
        Optional<StretchStore.Captured> captured =
                stores.stretch().capture(tx, scope(), new KeysetPage(source, partitioned, from, null, handled, limit));
        if (captured.isEmpty()) {
            tx.abandon();
            return Step.DONE;
        }
        StretchStore.Captured keys = captured.get();
        Batch batch = effect.apply(tx, new CapturedPage(source, scope(), keys.batch()));
        boolean full = keys.rows() >= limit;
        Step step = commit(tx, source, cursor, new CursorStore.Move(keys.head(), settled), batch, full);
        if (step != Step.LOST) {
            @Nullable Watermark place = settled;
            tx.onCommit(() -> {
                committed = place;
                stretchKeys += keys.rows();
            });
        }
        return step;
    }

    /** The end of every batch: the cursor, then the fence. */
    private Step commit(Tx tx, TailSource source, Cursor cursor, CursorStore.Move to, Batch batch, boolean full) {
        RunSummary after = run.plus(batch);
        if (!stores.cursors().advance(tx, source, cursor, to, batch, after)) {
            throw moved();
        }
        if (stores.leases().fence(tx, lease) == Renewal.LOST) {
            tx.abandon();
            return Step.LOST;
        }
        tx.onCommit(() -> {
            run = after;
            rowsInPass += batch.rowsSeen();
            limit = Math.min(limit, Integer.MAX_VALUE / 2) * 2;
        });
        return full ? Step.MORE : Step.DONE;
    }

    private Cursor openBatch(Tx tx) {
        Cursor cursor = stores.cursors().openBatch(tx, lease, READ_TIMEOUT).orElseThrow(this::noCursor);
        if (!Objects.equals(cursor.settled(), committed)) {
            throw moved();
        }
        return cursor;
    }

    private Cursor cursor(Tx tx) {
        return stores.cursors().find(tx, scope()).orElseThrow(this::noCursor);
    }

    private Scope scope() {
        return lease.scope();
    }

    /** Thrown to leave the batch; the next pass begins where the cursor is now. */
    private OneRoofException moved() {
        return new OneRoofException(ErrorCode.CONFLICT, "cursor: '%s' was moved by somebody else".formatted(scope()));
    }

    private OneRoofException noCursor() {
        return new OneRoofException(ErrorCode.NOT_FOUND, "cursor: '%s' does not exist".formatted(scope()));
    }
}
