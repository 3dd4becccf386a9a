package dev.oneroof.core.job;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has a handler's effects and the end of its job committed together, or neither. */
record TxHandling(Database db, JobStore store, TxJobHandler handler, Duration deadline) {
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
        store.mayIdleFor(tx, deadline.plusSeconds(10));
        Outcome outcome = handled(tx, job);
        if (!(outcome instanceof Outcome.Retry) && !(outcome instanceof Outcome.Dead)) {
            job.sayTheRest(tx, store);
        }
        boolean held = switch (outcome) {
            case Outcome.Done done -> store.complete(tx, List.of(job.leased())).isEmpty();
            case Outcome.Snooze snooze -> store.snooze(tx, job.leased(), snooze.until());
            case Outcome.Cancel cancel -> store.giveUp(tx, job.leased(), cancel.why());
            // What failed has not happened.
            case Outcome.Retry retry -> {
                tx.abandon();
                yield true;
            }
            case Outcome.Dead dead -> {
                tx.abandon();
                yield true;
            }
        };
        if (!held) {
            log.warn("job {}: its lease was not ours any more; nothing of it was committed", job.id());
            tx.abandon();
            return null;
        }
        return outcome instanceof Outcome.Retry || outcome instanceof Outcome.Dead ? outcome : null;
    }

    private Outcome handled(Tx tx, RunningJob job) {
        try {
            Outcome outcome = handler.handle(tx, job);
            return outcome == null ? new Outcome.Retry("its handler returned null", null) : outcome;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new Failed(e);
        }
    }
}
