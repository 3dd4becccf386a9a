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

/** Applies the worker's effect, and knows which hand was at work when it failed. */
final class Effects {
    private static final Logger log = LoggerFactory.getLogger(Effects.class);

    private final TailStores stores;
    private final TailSpec spec;
    private final TailConfig config;

    private @Nullable Sizing failedIn;
    private int failedRows;
    private long failedAfter;
    /** Whether it was no effect yet, but the look for its rows. */
    private boolean reading;

    private Failure lastFailure = new Failure(null, "", "");

    Effects(TailStores stores, TailSpec spec, TailConfig config) {
        this.stores = stores;
        this.spec = spec;
        this.config = config;
    }

    /** A page of at most so many rows is about to be read: when that takes too long, the next one is smaller. */
    void begin(int rows, Sizing sizing) {
        failedIn = sizing;
        failedRows = rows;
        failedAfter = 0;
        reading = true;
    }

    /** What was begun has come to its end. */
    void end() {
        failedIn = null;
    }

    /**
     * Hands a page of at most so many rows to the worker.
     *
     * @param before how many rows the same transaction has handled already; they come again if it fails
     */
    Batch apply(Tx tx, Page page, int rows, long before, Sizing sizing) {
        failedIn = sizing;
        failedRows = rows;
        failedAfter = before;
        reading = false;
        Batch batch = applied(tx, page);
        if (tx.isAbandoned()) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "handler: it has abandoned the transaction of its batch, which is not its own to end");
        }
        // Not before the commit: a deferred constraint fails there.
        tx.onCommit(() -> failedIn = null);
        return batch;
    }

    /** Ours tell their worker's failures from their own; of an effect of the worker's making all is the worker's. */
    Batch applied(Tx tx, Page page) {
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

    /** Rows whose keys are written down: handled, or, where one has failed alone, set aside. */
    Counts onCaptured(Tx tx, TailSource source, StretchStore.Captured keys, Sizing sizing) {
        return onCaptured(tx, source, keys, sizing, false);
    }

    Counts onCaptured(Tx tx, TailSource source, StretchStore.Captured keys, Sizing sizing, boolean untimed) {
        if (sizing.isAlone()) {
            stores.pendings().setAside(tx, spec, source, keys, lastFailure, pause(1));
            Failure failure = lastFailure;
            tx.onCommit(() -> log.warn(
                    "{}: set aside, to be tried again: {} row(s), the last with key {}: {}",
                    spec.scope(),
                    keys.rows(),
                    keys.head(),
                    failure.message()));
            return new Counts(keys.rows(), 0, 0);
        }
        Batch batch =
                apply(tx, new CapturedPage(source, tx.schema(), spec.scope(), keys, untimed), keys.rows(), 0, sizing);
        return new Counts(keys.rows(), batch.effectsWritten(), 0);
    }

    /**
     * A batch has thrown. True when it was the fault of a row, or took too long: then the next one is smaller, and a row
     * that fails alone is set aside.
     */
    boolean narrow(RuntimeException thrown) {
        @Nullable Sizing sizing = failedIn;
        failedIn = null;
        if (sizing == null) {
            return false;
        }
        if (reading) {
            // No row can be blamed for that.
            return SqlState.isTimeout(thrown) && sizing.tookTooLong(failedRows) && failedRows > 1;
        }
        if (SqlState.isTimeout(thrown)) {
            // A smaller batch may do, whatever took so long; but only an effect's own time is charged to a row.
            if (failedRows == 1 && !Failure.isTheEffects(thrown)) {
                return false;
            }
            if (sizing.tookTooLong(failedRows)) {
                return failedRows > 1;
            }
        } else if (!Failure.isTheRowsFault(thrown)) {
            return false;
        }
        lastFailure = Failure.of(thrown);
        sizing.failed(failedAfter + failedRows);
        return true;
    }

    /** The pause after so many failures: doubled each time, with jitter, so that what failed together does not return so. */
    double pause(int errors) {
        double base = config.firstRetry().toMillis() / 1000.0 * Math.pow(2, Math.min(errors - 1, 40));
        double capped = Math.min(base, config.longestRetry().toMillis() / 1000.0);
        return capped * ThreadLocalRandom.current().nextDouble(0.8, 1.2);
    }
}
