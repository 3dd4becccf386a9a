package dev.oneroof.core.job;

import dev.oneroof.postgres.Database;
import java.time.Duration;

/** Has operators hear of jobs that were given up: a finding for each kind, raised and ended by what is open. */
public final class DeadLetterCheck implements Chore {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final Database db;
    private final long overflowAt;
    private final JobStore store = new JobStore();
    private long lookedNanos = System.nanoTime() - INTERVAL.toNanos();

    /** @param overflowAt how many open dead letters of one kind are too many */
    public DeadLetterCheck(Database db, long overflowAt) {
        this.db = db;
        this.overflowAt = overflowAt;
    }

    @Override
    public Duration run() {
        Duration left = INTERVAL.minusNanos(System.nanoTime() - lookedNanos);
        if (left.isPositive()) {
            return left;
        }
        lookedNanos = System.nanoTime();
        db.useTx(tx -> {
            // Somebody may hold a finding: reaping and firing do not wait for that.
            store.waitNoLonger(tx);
            store.checkLetters(tx, overflowAt);
        });
        return INTERVAL;
    }
}
