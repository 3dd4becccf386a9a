package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobStore;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.job.TxJobHandler;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a handler's effects and the end of its job committed together, or neither. A job that has not ended comes again, so of
 * a retry and of a snooze nothing is committed; nor where the handler itself has abandoned its transaction.
 */
record TxHandling(Database db, JobStore store, TxJobHandler handler) {
    private static final Logger log = LoggerFactory.getLogger(TxHandling.class);

    /** A checked failure of a handler, on its way out of the transaction. */
    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final Exception failure;

        Failed(Exception failure) {
            super(failure);
            this.failure = failure;
        }
    }

    /** What has yet to be told, in a transaction of its own; null where it was told together with the effects. */
    @Nullable
    Outcome handle(RunningJob job) throws Exception {
        try {
            return db.<@Nullable Outcome>inTx(tx -> inTx(tx, job));
        } catch (Failed e) {
            throw e.failure;
        }
    }

    private @Nullable Outcome inTx(Tx tx, RunningJob job) {
        store.mayIdleFor(tx, job.deadline().plusSeconds(10));
        Outcome outcome = handled(tx, job);
        if (tx.isAbandoned()) {
            return outcome;
        }
        return switch (outcome) {
            case Outcome.Done done -> ended(tx, job, outcome);
            case Outcome.Cancel cancel -> ended(tx, job, outcome);
            case Outcome.Retry retry -> apart(tx, outcome);
            case Outcome.Dead dead -> apart(tx, outcome);
            case Outcome.Snooze snooze -> apart(tx, outcome);
        };
    }

    private static Outcome apart(Tx tx, Outcome outcome) {
        tx.abandon();
        return outcome;
    }

    private @Nullable Outcome ended(Tx tx, RunningJob job, Outcome outcome) {
        job.sayTheRest(tx);
        boolean held = outcome instanceof Outcome.Cancel cancel
                ? store.giveUp(tx, job.leased(), cancel.why())
                : store.complete(tx, List.of(job.leased())).isEmpty();
        if (!held) {
            log.warn("job {}: its lease was not ours any more; nothing of it was committed", job.id());
            tx.abandon();
        }
        return null;
    }

    private Outcome handled(Tx tx, RunningJob job) {
        try {
            job.begin();
            Outcome outcome = handler.handle(tx.asWritten(), job);
            return outcome == null ? new Outcome.Retry("its handler returned null", null) : outcome;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new Failed(e);
        }
    }
}
