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

/** Runs the passes of one ownership of a cursor: the reader, the retries, the scanners and the monitor. */
final class TailSession {
    private final Database db;
    private final TailStores stores;
    private final CursorPosition position;
    private final EffectRunner effects;
    private final CursorReader reader;
    private final LateRowScanner late;
    private final UntimedRowScanner untimed;
    private final RowRetrier retries;
    private final CursorMonitor monitor;
    private final TailConfig config;
    private boolean loaded;
    private final long startedNanos = System.nanoTime();
    private long monitoredNanos;

    /** Why a cursor must stop until an operator accepts it. */
    record Hold(String state, String reason, FindingType type) {}

    /** Thrown to leave a pass that found a reason to hold the cursor. */
    @SuppressWarnings("serial")
    static final class HoldRequired extends RuntimeException {
        private final transient Hold hold;

        HoldRequired(Hold hold) {
            super(hold.reason());
            this.hold = hold;
        }

        Hold hold() {
            return hold;
        }
    }

    TailSession(Database db, TailStores stores, HolderSampler sampler, TailSpec spec, TailConfig config, Lease lease) {
        this.db = db;
        this.stores = stores;
        this.config = config;
        this.position = new CursorPosition(stores, lease, spec.summaryFields());
        this.effects = new EffectRunner(stores, spec, config);
        this.reader = new CursorReader(db, stores, sampler, effects, position, config);
        this.late = new LateRowScanner(db, stores, effects, position, config);
        this.untimed = new UntimedRowScanner(db, stores, effects, position);
        this.retries = new RowRetrier(db, stores, effects, position, config);
        this.monitor = new CursorMonitor(db, stores, position, config);
        this.monitoredNanos = startedNanos - config.watchInterval().toNanos();
    }

    /**
     * The sequence of observations is broken, or the cursor was moved: the next pass starts from the committed state.
     */
    void reset() {
        loaded = false;
        reader.reset();
        late.reset();
    }

    boolean narrow(RuntimeException thrown) {
        return effects.narrow(thrown);
    }

    Pass pass(TailSource source) {
        position.beginPass();
        load(source);
        BatchOutcome step = reader.read(source);
        if (step != BatchOutcome.LOST) {
            // Also during a backlog: rows that are due for a retry do not wait for its end.
            BatchOutcome retried = retries.retry(source);
            step = retried == BatchOutcome.DONE ? step : retried;
        }
        // During a backlog the first check waits for a whole interval.
        if (step == BatchOutcome.DONE || (isMonitorDue() && isIntervalOver(startedNanos))) {
            step = step == BatchOutcome.LOST ? step : monitored(source, step);
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

    /** The cursor may not move; its lag is still checked. */
    void whileStopped(TailSource source) {
        reset();
        if (isMonitorDue()) {
            monitoredNanos = System.nanoTime();
            monitor.lag(source);
        }
    }

    private void load(TailSource source) {
        if (loaded) {
            return;
        }
        CursorStore.CommittedState state = db.inTx(tx -> position.load(tx, source));
        String broken = state.broken();
        if (broken != null) {
            throw new HoldRequired(new Hold("another_past", broken, FindingType.CURSOR_CONTRACT_BROKEN));
        }
        if (state.regressed()) {
            throw new HoldRequired(new Hold(
                    "watermark_regression",
                    "the settled watermark is below the highest settled one, and no replay has set it back",
                    FindingType.CURSOR_WATERMARK_REGRESSION));
        }
        Optional<String> collation = db.inTx(tx -> stores.sources().changedCollation(tx, source));
        if (collation.isPresent()) {
            throw new HoldRequired(new Hold("collation_changed", collation.get(), FindingType.CURSOR_CONTRACT_BROKEN));
        }
        loaded = true;
    }

    private boolean isMonitorDue() {
        return isIntervalOver(monitoredNanos);
    }

    private boolean isIntervalOver(long nanos) {
        return System.nanoTime() - nanos >= config.watchInterval().toNanos();
    }

    private BatchOutcome monitored(TailSource source, BatchOutcome step) {
        if (!isMonitorDue()) {
            return step;
        }
        // Set first: a check that fails is not repeated at once.
        long before = monitoredNanos;
        monitoredNanos = System.nanoTime();
        for (Supplier<BatchOutcome> scan :
                List.<Supplier<BatchOutcome>>of(() -> untimed.scan(source), () -> late.scan(source))) {
            BatchOutcome outcome = scan.get();
            if (outcome != BatchOutcome.DONE) {
                // There may be more rows.
                monitoredNanos = before;
                return outcome;
            }
        }
        if (late.foundAny()) {
            monitor.recordBrokenContract();
        }
        monitor.check(source, reader.holders(), reader.isStretchFull(), reader.clock());
        return step;
    }
}
