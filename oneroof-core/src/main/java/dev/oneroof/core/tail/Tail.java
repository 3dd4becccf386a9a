package dev.oneroof.core.tail;

import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.read.HolderSampler;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.Database;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Everything that one ownership of a cursor does, in turn: the two hands, what waits to be tried again, and the watch. */
final class Tail {
    private final Database db;
    private final TailStores stores;
    private final Position position;
    private final Effects effects;
    private final Hands hands;
    private final LateRows late;
    private final Untimed untimed;
    private final Retries retries;
    private final Watch watch;
    private final TailConfig config;
    private boolean known;
    private final long begunNanos = System.nanoTime();
    private long watchedNanos;

    /** Why a cursor must not go on by itself. */
    record Stop(String state, String reason, FindingType type) {}

    /** Thrown to leave a pass that found a reason to stop. */
    @SuppressWarnings("serial")
    static final class Stopped extends RuntimeException {
        private final transient Stop stop;

        Stopped(Stop stop) {
            super(stop.reason());
            this.stop = stop;
        }

        Stop stop() {
            return stop;
        }
    }

    Tail(Database db, TailStores stores, HolderSampler sampler, TailSpec spec, TailConfig config, Lease lease) {
        this.db = db;
        this.stores = stores;
        this.config = config;
        this.position = new Position(stores, lease);
        this.effects = new Effects(stores, spec, config);
        this.hands = new Hands(db, stores, sampler, effects, position, config);
        this.late = new LateRows(db, stores, effects, position, config);
        this.untimed = new Untimed(db, stores, effects, position);
        this.retries = new Retries(db, stores, effects, position, config);
        this.watch = new Watch(db, stores, position, config);
        this.watchedNanos = begunNanos - config.watchInterval().toNanos();
    }

    /** The line of observations is broken, or the cursor was moved: all begins with what is committed. */
    void forget() {
        known = false;
        hands.forget();
        late.forget();
    }

    boolean narrow(RuntimeException thrown) {
        return effects.narrow(thrown);
    }

    Pass pass(TailSource source) {
        position.beginPass();
        recall(source);
        Step step = hands.read(source);
        if (step != Step.LOST) {
            // Beside a backlog, too: what waits to be tried again must not wait for its end.
            Step retried = retries.retry(source);
            step = retried == Step.DONE ? step : retried;
        }
        // In a sweep the first look can wait as long as the others.
        if (step == Step.DONE || (isWatchDue() && isSinceLong(begunNanos))) {
            step = step == Step.LOST ? step : watched(source, step);
        }
        return switch (step) {
            case LOST -> new Pass.Lost();
            case MORE -> new Pass.Worked(position.rowsInPass());
            case DONE ->
                position.rowsInPass() > 0
                        ? new Pass.CaughtUp(position.rowsInPass(), source.pollInterval())
                        : new Pass.Idle(source.pollInterval());
        };
    }

    /** The cursor may not move; how far behind it is can be told all the same. */
    void stopped(TailSource source) {
        forget();
        if (isWatchDue()) {
            watchedNanos = System.nanoTime();
            watch.lag(source);
        }
    }

    private void recall(TailSource source) {
        if (known) {
            return;
        }
        CursorStore.Past past = db.inTx(tx -> position.recall(tx, source));
        String broken = past.broken();
        if (broken != null) {
            throw new Stopped(new Stop("another_past", broken, FindingType.CURSOR_CONTRACT_BROKEN));
        }
        if (past.regressed()) {
            throw new Stopped(new Stop(
                    "watermark_regression",
                    "the settled watermark lies below the highest that was settled, and no replay has set it back",
                    FindingType.CURSOR_WATERMARK_REGRESSION));
        }
        Optional<String> collation = db.inTx(tx -> stores.sources().changedCollation(tx, source));
        if (collation.isPresent()) {
            throw new Stopped(new Stop("collation_changed", collation.get(), FindingType.CURSOR_CONTRACT_BROKEN));
        }
        known = true;
    }

    private boolean isWatchDue() {
        return isSinceLong(watchedNanos);
    }

    private boolean isSinceLong(long nanos) {
        return System.nanoTime() - nanos >= config.watchInterval().toNanos();
    }

    private Step watched(TailSource source, Step step) {
        if (!isWatchDue()) {
            return step;
        }
        // First of all: a look that fails is not to be tried again at once.
        long before = watchedNanos;
        watchedNanos = System.nanoTime();
        for (Supplier<Step> look : List.<Supplier<Step>>of(() -> untimed.look(source), () -> late.look(source))) {
            Step found = look.get();
            if (found != Step.DONE) {
                // There may be more of them.
                watchedNanos = before;
                return found;
            }
        }
        if (late.foundAny()) {
            watch.contractIsBroken();
        }
        watch.look(source, hands.holders(), hands.isStretchFull(), hands.clock());
        return step;
    }
}
