package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobLeaseStore;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.job.TxJobHandler;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits the effects of a handler and the end of its job together, or neither. A retry, a dead letter and a snooze commit
 * nothing, because they do not complete the job; nor does a handler that abandons its transaction.
 */
record TxJobRunner(Database db, JobLeaseStore store, TxJobHandler handler) {
    private static final Logger log = LoggerFactory.getLogger(TxJobRunner.class);

    /** Carries a checked exception of a handler out of the transaction. */
    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final Exception failure;

        Failed(Exception failure) {
            super(failure);
            this.failure = failure;
        }
    }

    /** The outcome to write in a transaction of its own; null if it was written together with the effects. */
    @Nullable
    Outcome run(RunningJob job) throws Exception {
        try {
            return db.<@Nullable Outcome>inTx(tx -> inTx(tx, job));
        } catch (Failed e) {
            throw e.failure;
        }
    }

    private @Nullable Outcome inTx(Tx tx, RunningJob job) {
        store.mayIdleFor(tx, job.deadline().plusSeconds(10));
        Outcome outcome = call(tx, job);
        if (tx.isAbandoned()) {
            return outcome;
        }
        return switch (outcome) {
            case Outcome.Done done -> ended(tx, job, outcome);
            case Outcome.Cancel cancel -> ended(tx, job, outcome);
            case Outcome.Retry retry -> rolledBack(tx, outcome);
            case Outcome.Dead dead -> rolledBack(tx, outcome);
            case Outcome.Snooze snooze -> rolledBack(tx, outcome);
        };
    }

    private static Outcome rolledBack(Tx tx, Outcome outcome) {
        tx.abandon();
        return outcome;
    }

    private @Nullable Outcome ended(Tx tx, RunningJob job, Outcome outcome) {
        job.writeRest(tx);
        boolean held = outcome instanceof Outcome.Cancel cancel
                ? store.giveUp(tx, job.leased(), cancel.why())
                : store.complete(tx, List.of(job.leased())).isEmpty();
        if (!held) {
            log.warn("job {}: its lease was lost; the transaction of its handler was rolled back", job.id());
            tx.abandon();
        }
        return null;
    }

    private Outcome call(Tx tx, RunningJob job) {
        try {
            job.start();
            Outcome outcome = handler.handle(tx.asWritten(), job);
            return outcome == null ? new Outcome.Retry("the handler returned null", null) : outcome;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new Failed(e);
        }
    }
}
