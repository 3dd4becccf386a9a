package dev.oneroof.core.job;

import dev.oneroof.postgres.Database;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands jobs back that no handler has begun, or is through with, for others to begin them: no attempt is counted. Nobody waits
 * for one that somebody holds, or for a database that is away; those are handed back later, for as long as their leases may
 * last.
 */
final class HandBack {
    private static final Logger log = LoggerFactory.getLogger(HandBack.class);

    private final Database db;
    private final JobStore store;
    private final Map<LeasedJob.Key, Left> left = new ConcurrentHashMap<>();
    private final ReentrantLock handing = new ReentrantLock();

    /** @param overNanos when its lease is over, had it been extended just before it came here */
    private record Left(LeasedJob job, long overNanos) {}

    HandBack(Database db, JobStore store) {
        this.db = db;
        this.store = store;
    }

    void now(List<LeasedJob> jobs) {
        long now = System.nanoTime();
        jobs.forEach(job -> left.put(job.lease(), new Left(job, now + job.leaseNanos())));
        again();
    }

    /** Those that are left; by whoever is at it already, where somebody is. */
    void again() {
        if (left.isEmpty() || !handing.tryLock()) {
            return;
        }
        try {
            hand(left.values().stream().map(Left::job).toList());
        } catch (RuntimeException e) {
            log.warn("{} jobs could not be handed back yet: {}", left.size(), e.getMessage());
        } finally {
            long now = System.nanoTime();
            left.values().removeIf(one -> one.overNanos() - now < 0);
            handing.unlock();
        }
    }

    /** One whose lease was lost changes nothing, and is asked for until it is over. */
    private void hand(List<LeasedJob> jobs) {
        long back = db.inStatement(tx -> store.handBack(tx, jobs));
        if (back == jobs.size()) {
            jobs.forEach(job -> left.remove(job.lease()));
        }
    }
}
