package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.ArrivalWindow;
import dev.oneroof.core.tail.read.Barrier;
import dev.oneroof.core.tail.read.Batches;
import dev.oneroof.core.tail.read.BoundStore;
import dev.oneroof.core.tail.read.ClockTrust;
import dev.oneroof.core.tail.read.Holder;
import dev.oneroof.core.tail.read.HolderSampler;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.LookAhead;
import dev.oneroof.core.tail.read.Stretch;
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
 * The two hands of a cursor, under one lease.
 *
 * <p>{@code settled} follows the barrier: it reads what lies below a cleared bound, where nothing can come any more.
 * {@code head} reads whatever is visible above, at once, and writes the keys it handled to the stretch; so a row that
 * commits late is told from a handled one when settled comes by, or head itself looks again because a transaction has
 * ended.
 *
 * <p>While settled has much to catch up with, it reads page by page and remembers nothing but its place. Once it has
 * caught up it writes down its keys too: those are kept for a while, and {@link LateRows} looks whether others appear
 * among them.
 */
final class Hands {
    private static final int CAREFUL_BATCHES = 10;

    /** How many batches a step among rows that are mostly filtered out is long. */
    private static final int STEP_BATCHES = 20;

    /** A transaction of a sweep takes no further page after this time. */
    private static final Duration LONG_ENOUGH = Duration.ofMillis(150);

    private final Database db;
    private final TailStores stores;
    private final HolderSampler sampler;
    private final Effects effects;
    private final Position position;
    private final TailConfig config;

    private final Barrier<Watermark> barrier = new Barrier<>();
    private final ArrivalWindow arrivals = new ArrivalWindow();
    /** One for both: which of them meets a row depends on who else is at work. */
    private final Sizing sizing = new Sizing();

    private @Nullable Watermark lastBound;
    private boolean catchingUp;
    /** Whether settled has read anything since all was forgotten; before that nobody knows how much there is. */
    private boolean begun;
    /** Whether the last pass found nothing more to do. */
    private boolean isIdle;
    /** Whether the last batch was of more than one page. */
    private boolean isQuick;
    /** So many batches more are of one page. */
    private int careful;

    /** Since when the clock has given no bound; zero while it gives one. */
    private long clockBehindNanos;
    /** When it last gave one. */
    private long clockGoodNanos = System.nanoTime();

    private boolean sawClockRight;

    Hands(
            Database db,
            TailStores stores,
            HolderSampler sampler,
            Effects effects,
            Position position,
            TailConfig config) {
        this.sampler = sampler;
        this.db = db;
        this.stores = stores;
        this.effects = effects;
        this.position = position;
        this.config = config;
    }

    void forget() {
        barrier.forget();
        arrivals.forget();
        lastBound = null;
        catchingUp = false;
        begun = false;
        isIdle = false;
        careful = CAREFUL_BATCHES;
        isQuick = false;
    }

    /** The transactions that settled waits for. */
    Set<Holder> holders() {
        return barrier.holders();
    }

    boolean isStretchFull() {
        return position.openBatches().keys() >= config.longestStretch();
    }

    /** How far the database's clock can be relied on. */
    ClockTrust clock() {
        long now = System.nanoTime();
        return new ClockTrust(
                clockBehindNanos != 0 && now - clockBehindNanos > BoundStore.GUARD.toNanos(),
                Duration.ofNanos(now - clockGoodNanos),
                sawClockRight);
    }

    /**
     * Whoever has caught up looks for new rows first: somebody may be waiting for them, and the bounds of earlier passes can
     * be read now as well as before. In a flood settled has its turn first, or it would never have one.
     */
    Step read(TailSource source) {
        boolean newFirst = isIdle && source.mode() == Mode.PROMPT && !isStretchFull();
        isIdle = false;
        if (newFirst) {
            Step step = ahead(source);
            if (step != Step.DONE) {
                return step;
            }
        }
        Step step = settled(source);
        if (step == Step.DONE && !newFirst && mayReachAhead(source)) {
            step = ahead(source);
        }
        isIdle = step == Step.DONE && begun;
        return step;
    }

    private Step settled(TailSource source) {
        // A bound that is cleared and not yet reached is worth a batch as it is: another look would cost round trips
        // and tell nothing that this batch could use.
        if (barrier.cleared().isEmpty()) {
            mark(source);
        }
        Optional<Watermark> cleared = barrier.cleared();
        if (cleared.isEmpty()) {
            return Step.DONE;
        }
        Step step = db.inTx(tx -> settle(tx, source, cleared.get()));
        effects.end();
        catchingUp = step == Step.MORE;
        begun = true;
        if (step == Step.DONE) {
            position.passed(cleared.get());
            barrier.settled();
        }
        return step;
    }

    private boolean mayReachAhead(TailSource source) {
        // Above a stretch of rows that are mostly filtered out, head would look for its first one for ever: settled
        // comes up in steps.
        boolean isFarBehind = !begun && source.filter() != null && sizing.isSlow();
        return source.mode() == Mode.PROMPT && !isStretchFull() && !isFarBehind;
    }

    private Step ahead(TailSource source) {
        Step step = db.inTx(tx -> reachAhead(tx, source));
        effects.end();
        if (step == Step.DONE) {
            barrier.read();
        }
        return step;
    }

    /** The bound first, the holders second, each in a statement of its own; rows come third. */
    private void mark(TailSource source) {
        if (source.contract() == OrderContract.EXTERNAL) {
            markWindow(source);
            return;
        }
        @Nullable Watermark above = lastBound == null ? position.settled() : lastBound;
        Optional<Watermark> bound = db.inTx(tx -> stores.bounds().bound(tx, source, above));
        Set<Holder> holders = sampler.openFor(position.scope());
        if (source.contract() != OrderContract.CLOCK || bound.isPresent()) {
            clockBehindNanos = 0;
            clockGoodNanos = System.nanoTime();
            sawClockRight = true;
        } else if (clockBehindNanos == 0) {
            clockBehindNanos = System.nanoTime();
        }
        // Without a new bound the old ones are looked at all the same: their holders may have ended.
        @Nullable Watermark taken = bound.orElse(lastBound);
        if (taken != null) {
            barrier.mark(taken, holders, System.nanoTime());
            lastBound = taken;
        }
    }

    /** No barrier is sound where applications make the keys: settled follows head at a distance, and waits for nobody. */
    private void markWindow(TailSource source) {
        if (!arrivals.isDue(source)) {
            return;
        }
        Optional<Watermark> top = db.inTx(tx -> stores.bounds().top(tx, source));
        Optional<Watermark> bound = arrivals.bound(source, top, firstBound(top));
        @Nullable Watermark above = lastBound == null ? position.settled() : lastBound;
        // The end of the table goes back when its last rows are deleted; what was settled does not.
        bound.filter(taken -> above == null
                        || !db.inTx(tx -> stores.contracts().isLower(tx, position.key(source), taken, above)))
                .ifPresent(taken -> {
                    barrier.mark(taken, Set.of(), System.nanoTime());
                    lastBound = taken;
                });
    }

    /**
     * A cursor that has read nothing yet reads what is there without remembering it, and a replay what it had settled. The
     * rows above that are new to it: those that arrive behind them within the window are to be found.
     */
    private Optional<Watermark> firstBound(Optional<Watermark> top) {
        boolean isBegun = position.settled() != null
                || lastBound != null
                || !position.openBatches().isEmpty();
        return isBegun
                ? Optional.empty()
                : Optional.ofNullable(position.highestSettled()).or(() -> top);
    }

    /**
     * One batch of what lies between settled and a bound below which all is visible. Where a filter lets so few rows through
     * that looking for a page of them takes too long, it goes in steps of so many rows of any kind.
     */
    private Step settle(Tx tx, TailSource source, Watermark bound) {
        CursorStore.Place place = position.open(tx);
        int limit = sizing.limit(source.batchSize());
        effects.begin(limit, sizing);
        KeysetPage whole =
                new KeysetPage(source, position.shape().partitioned(), position.settled(), bound, handled(), limit);
        Optional<Watermark> step = source.filter() != null && sizing.isSlow()
                ? whole.unfilteredStep(tx.asWritten(), STEP_BATCHES * limit)
                : Optional.empty();
        KeysetPage page = step.map(whole::upTo).orElse(whole);
        if (!begun) {
            catchingUp = page.lastOfFull(tx.asWritten()).isPresent();
        }
        boolean keeping = source.contract() != OrderContract.EXTERNAL && !catchingUp;

        Done done = keeping || sizing.isAlone() ? captured(tx, source, page) : sweep(tx, page);
        @Nullable Watermark reached = done.isFull() ? done.last() : page.upTo();
        if (reached == null) {
            throw new IllegalStateException("an effect on %s saw rows and no last one".formatted(position.scope()));
        }
        Batches before = position.openBatches().plus(done.batches());
        List<Long> passed = passed(tx, source, reached, keeping, before);
        if (done.rows() == 0 && passed.isEmpty() && step.isEmpty()) {
            // Nothing happened but that time went by: an empty poll writes nothing.
            tx.abandon();
            return Step.DONE;
        }
        position.holds(tx, before.minus(passed));
        @Nullable Watermark kept = keeping ? position.kept() : reached;
        CursorStore.Move to = new CursorStore.Move(done.last(), reached, kept);
        return closed(tx, source, place, to, step.isPresent() ? done.withMore() : done);
    }

    /**
     * Page after page below the bound, in one transaction for as long as it stays short: with a handler that is quick,
     * cursor, fence and commit would cost as much as the rows. Not while a row among them is known to be bad, nor soon
     * after anything has failed: what fails every now and then must not take many pages with it each time.
     */
    private Done sweep(Tx tx, KeysetPage first) {
        long begin = System.nanoTime();
        long end = begin + LONG_ENOUGH.toNanos();
        try (LookAhead ahead = new LookAhead(db, position::prepare, begin, end)) {
            // Whether there will be time for a second page is known from the batch before.
            Done done = plain(tx, isQuick ? first.after(first.after(), ahead) : first, 0);
            isQuick = false;
            while (done.isFull() && careful == 0 && !sizing.isSearching() && System.nanoTime() - end < 0) {
                Watermark last = Objects.requireNonNull(done.last(), "a full page has a last row");
                Done next = plain(tx, first.after(last, ahead), done.rows());
                if (last.equals(next.last())) {
                    // An effect that tells no end of its page would be given the same one for ever.
                    throw new Regression(position.scope(), last, last);
                }
                done = done.plus(next);
                isQuick = true;
            }
            return done;
        }
    }

    /** Keys at or below the new settled watermark are kept for a while; or dropped with all that were, in a long sweep. */
    private List<Long> passed(Tx tx, TailSource source, Watermark reached, boolean keeping, Batches before) {
        OrderKey key = position.key(source);
        if (keeping) {
            return before.isEmpty() ? List.of() : stores.stretch().keepUpTo(tx, position.scope(), key, reached, before);
        }
        boolean anyKept = !Objects.equals(position.kept(), position.settled());
        return before.isEmpty() && !anyKept ? List.of() : stores.stretch().dropUpTo(tx, position.scope(), key, reached);
    }

    /** One batch of what is visible above the bounds, or has become visible below them, and is not handled. */
    private Step reachAhead(Tx tx, TailSource source) {
        CursorStore.Place place = position.open(tx);
        int limit = sizing.limit(source.batchSize());
        effects.begin(limit, sizing);
        @Nullable Watermark unread = barrier.unreadFrom();
        @Nullable Watermark from = unread == null ? position.settled() : unread;
        KeysetPage page = new KeysetPage(source, position.shape().partitioned(), from, null, handled(), limit);
        Done done = captured(tx, source, page);
        if (done.rows() == 0) {
            tx.abandon();
            return Step.DONE;
        }
        position.holds(tx, position.openBatches().plus(done.batches()));
        CursorStore.Move to = new CursorStore.Move(done.head(), position.settled(), position.kept());
        return closed(tx, source, place, to, done);
    }

    /** What was done: how many rows there were, the highest of them that moves head, the last one, the keys written down, and whether there may be more. */
    private record Done(
            long rows,
            Counts counts,
            @Nullable Watermark head,
            @Nullable Watermark last,
            Batches batches,
            boolean isFull) {
        Done withMore() {
            return new Done(rows, counts, head, last, batches, true);
        }

        Done plus(Done next) {
            return new Done(
                    rows + next.rows,
                    counts.plus(next.counts),
                    next.head == null ? head : next.head,
                    next.last == null ? last : next.last,
                    batches.plus(next.batches),
                    next.isFull);
        }
    }

    private Done plain(Tx tx, KeysetPage page, long before) {
        Batch batch = effects.apply(tx, page, page.limit(), before, sizing);
        return new Done(
                batch.rowsSeen(),
                Counts.of(batch),
                batch.last(),
                batch.last(),
                Batches.NONE,
                batch.rowsSeen() >= page.limit());
    }

    private Done captured(Tx tx, TailSource source, KeysetPage page) {
        Optional<StretchStore.Captured> captured = stores.stretch().capture(tx, position.scope(), page, false);
        if (captured.isEmpty()) {
            return new Done(0, new Counts(0, 0, 0), null, null, Batches.NONE, false);
        }
        StretchStore.Captured keys = captured.get();
        Counts counts = effects.onCaptured(tx, source, keys, sizing);
        return new Done(keys.rows(), counts, keys.head(), keys.head(), keys.batches(), keys.rows() >= page.limit());
    }

    private Step closed(Tx tx, TailSource source, CursorStore.Place place, CursorStore.Move to, Done done) {
        if (!position.close(tx, source, place, to, done.counts())) {
            return Step.LOST;
        }
        tx.onCommit(() -> {
            sizing.succeeded(done.rows(), done.isFull());
            careful = Math.max(0, careful - 1);
        });
        return done.isFull() ? Step.MORE : Step.DONE;
    }

    private @Nullable Stretch handled() {
        return position.openBatches().isEmpty()
                ? null
                : Stretch.open(db.schema(), position.scope(), position.openBatches());
    }
}
