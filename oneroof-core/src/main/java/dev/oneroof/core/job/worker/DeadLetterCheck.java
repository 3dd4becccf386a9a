package dev.oneroof.core.job.worker;

import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has operators hear of jobs that were given up: a finding for each kind, raised and ended by what is open. */
public final class DeadLetterCheck implements Chore {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterCheck.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Database db;
    private final long overflowAt;
    private final LongSupplier nanos;
    private final KeeperStore store = new KeeperStore();
    private long dueNanos;
    private long lookedNanos;
    private boolean heldUp;

    /** @param overflowAt how many open dead letters of one kind are too many */
    public DeadLetterCheck(Database db, long overflowAt) {
        this(db, overflowAt, System::nanoTime);
    }

    DeadLetterCheck(Database db, long overflowAt, LongSupplier nanos) {
        this.db = db;
        this.overflowAt = overflowAt;
        this.nanos = nanos;
        this.dueNanos = nanos.getAsLong();
        this.lookedNanos = dueNanos;
    }

    @Override
    public Duration run() {
        long now = nanos.getAsLong();
        if (dueNanos - now > 0) {
            return Duration.ofNanos(dueNanos - now);
        }
        dueNanos = now + INTERVAL.toNanos();
        boolean looked = db.inTx(tx -> {
            // Somebody may have the whole table: reaping and firing do not wait for that.
            store.waitNoLonger(tx);
            return store.checkLetters(tx, overflowAt);
        });
        tell(looked, now);
        return INTERVAL;
    }

    /** Who looks takes a moment: somebody who takes a minute has gone away and left it open, and nothing is told. */
    private void tell(boolean looked, long now) {
        if (looked) {
            lookedNanos = now;
            heldUp = false;
        } else if (!heldUp && now - lookedNanos > PATIENCE.toNanos()) {
            heldUp = true;
            log.warn(
                    "dead letters are not told of: a transaction that called fn_job_dead_letter_check has been open for"
                            + " more than {} s",
                    PATIENCE.toSeconds());
        }
    }

    boolean isHeldUp() {
        return heldUp;
    }
}
