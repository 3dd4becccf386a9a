package dev.oneroof.bench.trials;

import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import java.time.Duration;

/**
 * Notes when a process of a trial of jobs stood still by itself, or its database did: a machine that is too busy takes a lease
 * as well as a signal does. It asks the database something again and again, apart from all that is tried.
 */
record Pulse(JobTables tables, Database db, String process, Duration lease) {
    private static final Duration EVERY = Duration.ofMillis(50);

    /** For a thread of its own, until the process ends. A worker keeps its leases when a third of them is over. */
    void run() {
        Waiting waiting = new Waiting();
        long last = System.nanoTime();
        do {
            db.useTx(tx -> tx.query("SELECT 1").mapTo(Integer.class).one());
            long now = System.nanoTime();
            Duration gap = Duration.ofNanos(now - last);
            last = now;
            if (gap.compareTo(lease.dividedBy(3)) > 0) {
                db.useTx(tx -> tables.stalled(tx, process, gap));
            }
        } while (waiting.pause(EVERY));
    }
}
