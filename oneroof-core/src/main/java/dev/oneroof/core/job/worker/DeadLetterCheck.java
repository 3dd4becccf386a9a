package dev.oneroof.core.job.worker;

import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Raises a finding for each kind with open dead letters, and resolves it when there are none. */
public final class DeadLetterCheck implements MaintenanceTask {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterCheck.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration HELD_UP_AFTER = Duration.ofMinutes(1);

    private final Database db;
    private final long overflowAt;
    private final LongSupplier nanos;
    private final JobKeeperStore store = new JobKeeperStore();
    private long dueNanos;
    private long checkedNanos;
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
        this.checkedNanos = dueNanos;
    }

    @Override
    public Duration run() {
        long now = nanos.getAsLong();
        if (dueNanos - now > 0) {
            return Duration.ofNanos(dueNanos - now);
        }
        dueNanos = now + INTERVAL.toNanos();
        boolean checked = db.inTx(tx -> {
            // The table may be locked: reaping and firing must not wait for that.
            store.limitLockWaits(tx);
            return store.checkLetters(tx, overflowAt);
        });
        report(checked, now);
        return INTERVAL;
    }

    /** A check takes a moment. If another one holds the lock for a minute, its client left its transaction open. */
    private void report(boolean checked, long now) {
        if (checked) {
            checkedNanos = now;
            heldUp = false;
        } else if (!heldUp && now - checkedNanos > HELD_UP_AFTER.toNanos()) {
            heldUp = true;
            log.warn(
                    "findings of dead letters are not updated: a transaction that called fn_job_dead_letter_check has been"
                            + " open for more than {} s",
                    HELD_UP_AFTER.toSeconds());
        }
    }

    boolean isHeldUp() {
        return heldUp;
    }
}
