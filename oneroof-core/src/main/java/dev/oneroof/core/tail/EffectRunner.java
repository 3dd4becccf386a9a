package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.CapturedPage;
import dev.oneroof.core.tail.read.Page;
import dev.oneroof.core.tail.read.StretchStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies the worker's effect, and knows which reader was active when it failed. */
final class EffectRunner {
    private static final Logger log = LoggerFactory.getLogger(EffectRunner.class);

    private final TailStores stores;
    private final TailSpec spec;
    private final TailConfig config;

    private @Nullable BatchSizer failedIn;
    private int failedRows;
    private long failedAfter;
    /** Whether the rows were still being read, before any effect. */
    private boolean reading;

    private RowFailure lastFailure = new RowFailure(null, "", "");

    EffectRunner(TailStores stores, TailSpec spec, TailConfig config) {
        this.stores = stores;
        this.spec = spec;
        this.config = config;
    }

    /** A page of at most this many rows is about to be read: if that takes too long, the next one is smaller. */
    void startRead(int rows, BatchSizer sizer) {
        failedIn = sizer;
        failedRows = rows;
        failedAfter = 0;
        reading = true;
    }

    /** The read and its effect have ended. */
    void finish() {
        failedIn = null;
    }

    /**
     * Applies the effect to a page of at most this many rows.
     *
     * @param before how many rows the same transaction has handled before; they are read again if it fails
     */
    Batch apply(Tx tx, Page page, int rows, long before, BatchSizer sizer) {
        failedIn = sizer;
        failedRows = rows;
        failedAfter = before;
        reading = false;
        Batch batch = applyEffect(tx, page);
        if (tx.isAbandoned()) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "handler: it has abandoned the transaction of its batch, which only the runtime may end");
        }
        // Not before the commit: a deferred constraint fails there.
        tx.onCommit(() -> failedIn = null);
        return batch;
    }

    /**
     * The built-in effects mark the errors of the worker's code themselves. Every error of a custom effect is the
     * worker's.
     */
    Batch applyEffect(Tx tx, Page page) {
        BatchEffect effect = spec.effect();
        if (effect instanceof RowsEffect || effect instanceof SetEffect) {
            return effect.apply(tx.asWritten(), page);
        }
        try {
            return effect.apply(tx.asWritten(), page);
        } catch (EffectFailure e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw new EffectFailure(e);
        }
    }

    /** Handles the rows whose keys were stored. A row that failed by itself is set aside. */
    BatchCounts applyCaptured(Tx tx, TailSource source, StretchStore.Captured keys, BatchSizer sizer) {
        return applyCaptured(tx, source, keys, sizer, false);
    }

    BatchCounts applyCaptured(Tx tx, TailSource source, StretchStore.Captured keys, BatchSizer sizer, boolean untimed) {
        if (sizer.isRowIsolated()) {
            stores.pendings().setAside(tx, spec, source, keys, lastFailure, pause(1));
            RowFailure failure = lastFailure;
            tx.onCommit(() -> log.warn(
                    "{}: set aside {} row(s) for a retry, the last with key {}: {}",
                    spec.scope(),
                    keys.rows(),
                    keys.head(),
                    failure.message()));
            return new BatchCounts(keys.rows(), 0, 0);
        }
        Batch batch =
                apply(tx, new CapturedPage(source, tx.schema(), spec.scope(), keys, untimed), keys.rows(), 0, sizer);
        return new BatchCounts(keys.rows(), batch.effectsWritten(), 0);
    }

    /**
     * Handles the error of a batch. True when a row caused it, or it took too long: then the next batch is smaller, and
     * a row that fails by itself is set aside.
     */
    boolean narrow(RuntimeException thrown) {
        @Nullable BatchSizer sizer = failedIn;
        failedIn = null;
        if (sizer == null) {
            return false;
        }
        if (reading) {
            // No row can have caused this.
            return SqlState.isTimeout(thrown) && sizer.timedOut(failedRows) && failedRows > 1;
        }
        if (SqlState.isTimeout(thrown)) {
            // A smaller batch may help, whatever took so long; but only the time of the effect is charged to a row.
            if (failedRows == 1 && !RowFailure.isFromEffect(thrown)) {
                return false;
            }
            if (sizer.timedOut(failedRows)) {
                return failedRows > 1;
            }
        } else if (!RowFailure.isFromRow(thrown)) {
            return false;
        }
        lastFailure = RowFailure.of(thrown);
        sizer.failed(failedAfter + failedRows);
        return true;
    }

    /**
     * The pause in seconds after this many failures: doubled each time, with jitter, so that rows that failed together
     * are not retried together.
     */
    double pause(int errors) {
        double base = config.firstRetry().toMillis() / 1000.0 * Math.pow(2, Math.min(errors - 1, 40));
        double capped = Math.min(base, config.longestRetry().toMillis() / 1000.0);
        return capped * ThreadLocalRandom.current().nextDouble(0.8, 1.2);
    }
}
