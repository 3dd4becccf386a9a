package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.Barrier;
import dev.oneroof.core.tail.read.BoundStore;
import dev.oneroof.core.tail.read.ClockStatus;
import dev.oneroof.core.tail.read.Holder;
import dev.oneroof.core.tail.read.HolderSampler;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.LookAhead;
import dev.oneroof.core.tail.read.RereadWindow;
import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.read.StretchBatches;
import dev.oneroof.core.tail.read.StretchStore;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a source with the two hands of a cursor, under one lease.
 *
 * <p>{@code settled} follows the barrier: it reads rows below a cleared bound, where no new row can appear. {@code
 * head} reads all visible rows above it at once, and writes the keys it handled to the stretch. Those keys tell a
 * handled row from one that committed late, when settled reaches it or when head reads a segment again because a
 * transaction has ended.
 *
 * <p>While settled reads a backlog, it goes page by page and stores only its position. Once it has caught up it stores
 * its keys too. They are kept for a while, and {@link LateRowScanner} checks whether other rows appear among them.
 */
final class CursorReader {
    private static final int CAUTIOUS_BATCHES = 10;

    /** The length of a step, in batches, where the filter drops most rows. */
    private static final int STEP_BATCHES = 20;

    /** A transaction that reads a backlog starts no further page after this time. */
    private static final Duration LONGEST_TRANSACTION = Duration.ofMillis(150);

    private final Database db;
    private final TailStores stores;
    private final HolderSampler sampler;
    private final EffectRunner effects;
    private final CursorPosition position;
    private final TailConfig config;

    private final Barrier<Watermark> barrier = new Barrier<>();
    private final RereadWindow window = new RereadWindow();
    /** One for both hands: which of them reads a row depends on the open transactions. */
    private final BatchSizer sizer = new BatchSizer();

    private @Nullable Watermark lastBound;
    private boolean catchingUp;
    /** Whether settled has read anything since the last reset; until then the size of the backlog is unknown. */
    private boolean started;
    /** Whether the last pass found nothing more to do. */
    private boolean isIdle;
    /** Whether the last batch was of more than one page. */
    private boolean wasQuick;
    /** How many further batches are limited to one page. */
    private int cautiousBatches;

    /** Since when the clock has given no bound; zero while it gives one. */
    private long clockBehindNanos;
    /** When the clock last gave a bound. */
    private long clockGoodNanos = System.nanoTime();

    private boolean clockWasRight;

    CursorReader(
            Database db,
            TailStores stores,
            HolderSampler sampler,
            EffectRunner effects,
            CursorPosition position,
            TailConfig config) {
        this.sampler = sampler;
        this.db = db;
        this.stores = stores;
        this.effects = effects;
        this.position = position;
        this.config = config;
    }

    void reset() {
        barrier.reset();
        window.reset();
        lastBound = null;
        catchingUp = false;
        started = false;
        isIdle = false;
        cautiousBatches = CAUTIOUS_BATCHES;
        wasQuick = false;
    }

    /** The transactions that settled waits for. */
    Set<Holder> holders() {
        return barrier.holders();
    }

    boolean isStretchFull() {
        return position.openBatches().keys() >= config.longestStretch();
    }

    /** Whether the database's clock can be relied on. */
    ClockStatus clock() {
        long now = System.nanoTime();
        return new ClockStatus(
                clockBehindNanos != 0 && now - clockBehindNanos > BoundStore.GUARD.toNanos(),
                Duration.ofNanos(now - clockGoodNanos),
                clockWasRight);
    }

    /**
     * A cursor that has caught up reads new rows first, for low latency; the bounds of earlier passes can be read
     * later. Under constant load settled goes first, or it would never get a turn.
     */
    BatchOutcome read(TailSource source) {
        boolean headFirst = isIdle && source.mode() == Mode.PROMPT && !isStretchFull();
        isIdle = false;
        if (headFirst) {
            BatchOutcome step = readHead(source);
            if (step != BatchOutcome.DONE) {
                return step;
            }
        }
        BatchOutcome step = readSettled(source);
        if (step == BatchOutcome.DONE && !headFirst && mayReadHead(source)) {
            step = readHead(source);
        }
        isIdle = step == BatchOutcome.DONE && started;
        return step;
    }

    private BatchOutcome readSettled(TailSource source) {
        // A bound that is cleared and not yet reached is enough for a batch: sampling again would cost round trips and
        // add nothing that this batch could use.
        if (barrier.cleared().isEmpty()) {
            takeBound(source);
        }
        Optional<Watermark> cleared = barrier.cleared();
        if (cleared.isEmpty()) {
            return BatchOutcome.DONE;
        }
        BatchOutcome step = db.inTx(tx -> readSettledBatch(tx, source, cleared.get()));
        effects.finish();
        catchingUp = step == BatchOutcome.MORE;
        started = true;
        if (step == BatchOutcome.DONE) {
            position.passedTo(cleared.get());
            barrier.markSettled();
        }
        return step;
    }

    private boolean mayReadHead(TailSource source) {
        // Where the filter drops most rows, head would search for its first row across the whole backlog. Settled goes
        // first, in steps.
        boolean isFarBelow = !started && source.filter() != null && sizer.isSlow();
        return source.mode() == Mode.PROMPT && !isStretchFull() && !isFarBelow;
    }

    private BatchOutcome readHead(TailSource source) {
        BatchOutcome step = db.inTx(tx -> readHeadBatch(tx, source));
        effects.finish();
        if (step == BatchOutcome.DONE) {
            barrier.markRead();
        }
        return step;
    }

    /** Takes the bound first and the holders second, each in its own statement. Rows are read third. */
    private void takeBound(TailSource source) {
        if (source.contract() == OrderContract.EXTERNAL) {
            takeWindowBound(source);
            return;
        }
        @Nullable Watermark above = lastBound == null ? position.settled() : lastBound;
        Optional<Watermark> bound = db.inTx(tx -> stores.bounds().bound(tx, source, above));
        Set<Holder> holders = sampler.openFor(position.scope());
        if (source.contract() != OrderContract.CLOCK || bound.isPresent()) {
            clockBehindNanos = 0;
            clockGoodNanos = System.nanoTime();
            clockWasRight = true;
        } else if (clockBehindNanos == 0) {
            clockBehindNanos = System.nanoTime();
        }
        // Without a new bound the earlier bounds are still checked: their holders may have ended.
        @Nullable Watermark taken = bound.orElse(lastBound);
        if (taken != null) {
            barrier.mark(taken, holders, System.nanoTime());
            lastBound = taken;
        }
    }

    /**
     * No barrier is sound where applications make the keys: settled follows head at a distance and waits for no
     * transaction.
     */
    private void takeWindowBound(TailSource source) {
        if (!window.isDue(source)) {
            return;
        }
        Optional<Watermark> top = db.inTx(tx -> stores.bounds().top(tx, source));
        Optional<Watermark> bound = window.bound(source, top, firstBound(source, top));
        @Nullable Watermark above = lastBound == null ? position.settled() : lastBound;
        // The end of the table moves back when its last rows are deleted; the settled watermark does not.
        bound.filter(taken -> above == null
                        || !db.inTx(tx -> stores.contracts().isLower(tx, position.key(source), taken, above)))
                .ifPresent(taken -> {
                    barrier.mark(taken, Set.of(), System.nanoTime());
                    lastBound = taken;
                });
    }

    /**
     * A cursor that has read nothing yet reads the existing rows without storing their keys; a replay does so up to its
     * former settled watermark. Rows above that are new: what arrives behind them within the window must be found.
     */
    private Optional<Watermark> firstBound(TailSource source, Optional<Watermark> top) {
        boolean hasStarted = position.settled() != null
                || lastBound != null
                || !position.openBatches().isEmpty();
        if (hasStarted) {
            return Optional.empty();
        }
        Watermark highest = position.highestSettled();
        return highest == null ? top : db.inTx(tx -> notInWindow(tx, source, highest));
    }

    /**
     * Under another contract settled may have come closer to the clock than the window: rows that arrive behind it there
     * would be below settled at once, and lost. So the keys within the window are stored, whatever was settled before.
     */
    private Optional<Watermark> notInWindow(Tx tx, TailSource source, Watermark highest) {
        return stores.bounds()
                .topOutsideWindow(tx, source)
                .map(old -> stores.contracts().isLower(tx, position.key(source), old, highest) ? old : highest);
    }

    /**
     * Reads one batch between settled and a bound below which all rows are visible. Where the filter passes so few rows
     * that reading a page of them takes too long, it goes in steps counted in unfiltered rows.
     */
    private BatchOutcome readSettledBatch(Tx tx, TailSource source, Watermark bound) {
        CursorStore.BatchStart place = position.open(tx);
        int limit = sizer.limit(source.batchSize());
        effects.startRead(limit, sizer);
        KeysetPage whole =
                new KeysetPage(source, position.shape().partitioned(), position.settled(), bound, handled(), limit);
        Optional<Watermark> step = source.filter() != null && sizer.isSlow()
                ? whole.unfilteredStep(tx.asWritten(), STEP_BATCHES * limit)
                : Optional.empty();
        KeysetPage page = step.map(whole::upTo).orElse(whole);
        if (!started) {
            catchingUp = page.lastOfFull(tx.asWritten()).isPresent();
        }
        boolean keeping = source.contract() != OrderContract.EXTERNAL && !catchingUp;

        PageResult done = keeping || sizer.isRowIsolated() ? captureAndApply(tx, source, page) : sweep(tx, page);
        @Nullable Watermark reached = done.isFull() ? done.last() : page.upTo();
        if (reached == null) {
            throw new IllegalStateException(
                    "the effect of %s reported rows but no last key".formatted(position.scope()));
        }
        StretchBatches before = position.openBatches().plus(done.batches());
        List<Long> passed = releaseKeys(tx, source, reached, keeping, before);
        if (done.rows() == 0 && passed.isEmpty() && step.isEmpty()) {
            // No rows and no keys to release: an empty poll writes nothing.
            tx.abandon();
            return BatchOutcome.DONE;
        }
        position.setOpenBatches(tx, before.minus(passed));
        @Nullable Watermark kept = keeping ? position.kept() : reached;
        CursorStore.Move to = new CursorStore.Move(done.last(), reached, kept);
        return close(tx, source, place, to, step.isPresent() ? done.withMore() : done);
    }

    /**
     * Reads several pages below the bound in one transaction, while it stays short: with a fast handler the cursor
     * update, the fence and the commit would cost as much as the rows. It takes one page only while a bad row is
     * searched for, and for some batches after any failure: an intermittent failure must not roll back many pages each
     * time.
     */
    private PageResult sweep(Tx tx, KeysetPage first) {
        long begin = System.nanoTime();
        long end = begin + LONGEST_TRANSACTION.toNanos();
        try (LookAhead ahead = new LookAhead(db, position::prepare, begin, end)) {
            // The batch before tells whether there is time for a second page.
            PageResult done = applyPage(tx, wasQuick ? first.after(first.after(), ahead) : first, 0);
            wasQuick = false;
            while (done.isFull() && cautiousBatches == 0 && !sizer.isSearching() && System.nanoTime() - end < 0) {
                Watermark last = Objects.requireNonNull(done.last(), "a full page has a last row");
                PageResult next = applyPage(tx, first.after(last, ahead), done.rows());
                if (last.equals(next.last())) {
                    // An effect that does not report the last row of its page would get the same page again and again.
                    throw new WatermarkRegression(position.scope(), last, last);
                }
                done = done.plus(next);
                wasQuick = true;
            }
            return done;
        }
    }

    /**
     * Keeps the keys at or below the new settled watermark for a while. During a backlog it drops them, with all that
     * were kept.
     */
    private List<Long> releaseKeys(
            Tx tx, TailSource source, Watermark reached, boolean keeping, StretchBatches before) {
        OrderKey key = position.key(source);
        if (keeping) {
            return before.isEmpty() ? List.of() : stores.stretch().keepUpTo(tx, position.scope(), key, reached, before);
        }
        boolean anyKept = !Objects.equals(position.kept(), position.settled());
        return before.isEmpty() && !anyKept ? List.of() : stores.stretch().dropUpTo(tx, position.scope(), key, reached);
    }

    /**
     * Reads one batch of rows that are visible above the bounds, or have become visible below them, and are not
     * handled.
     */
    private BatchOutcome readHeadBatch(Tx tx, TailSource source) {
        CursorStore.BatchStart place = position.open(tx);
        int limit = sizer.limit(source.batchSize());
        effects.startRead(limit, sizer);
        @Nullable Watermark unread = barrier.unreadFrom();
        @Nullable Watermark from = unread == null ? position.settled() : unread;
        KeysetPage page = new KeysetPage(source, position.shape().partitioned(), from, null, handled(), limit);
        PageResult done = captureAndApply(tx, source, page);
        if (done.rows() == 0) {
            tx.abandon();
            return BatchOutcome.DONE;
        }
        position.setOpenBatches(tx, position.openBatches().plus(done.batches()));
        CursorStore.Move to = new CursorStore.Move(done.head(), position.settled(), position.kept());
        return close(tx, source, place, to, done);
    }

    private PageResult applyPage(Tx tx, KeysetPage page, long before) {
        Batch batch = effects.apply(tx, page, page.limit(), before, sizer);
        return new PageResult(
                batch.rowsSeen(),
                BatchCounts.of(batch),
                batch.last(),
                batch.last(),
                StretchBatches.NONE,
                batch.rowsSeen() >= page.limit());
    }

    private PageResult captureAndApply(Tx tx, TailSource source, KeysetPage page) {
        Optional<StretchStore.Captured> captured = stores.stretch().capture(tx, position.scope(), page, false);
        if (captured.isEmpty()) {
            return new PageResult(0, new BatchCounts(0, 0, 0), null, null, StretchBatches.NONE, false);
        }
        StretchStore.Captured keys = captured.get();
        BatchCounts counts = effects.applyCaptured(tx, source, keys, sizer);
        return new PageResult(
                keys.rows(), counts, keys.head(), keys.head(), keys.batches(), keys.rows() >= page.limit());
    }

    private BatchOutcome close(
            Tx tx, TailSource source, CursorStore.BatchStart place, CursorStore.Move to, PageResult done) {
        if (!position.close(tx, source, place, to, done.counts())) {
            return BatchOutcome.LOST;
        }
        tx.onCommit(() -> {
            sizer.succeeded(done.rows(), done.isFull());
            cautiousBatches = Math.max(0, cautiousBatches - 1);
        });
        return done.isFull() ? BatchOutcome.MORE : BatchOutcome.DONE;
    }

    private @Nullable Stretch handled() {
        return position.openBatches().isEmpty()
                ? null
                : Stretch.open(db.schema(), position.scope(), position.openBatches());
    }
}
