package dev.oneroof.core.job;

import dev.oneroof.postgres.Database;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands jobs back that no handler has begun, for others to begin them: no attempt is counted. Nobody waits for one that
 * somebody holds, or for a database that is away; those are handed back later, while their leases last.
 */
final class HandBack {
    private static final Logger log = LoggerFactory.getLogger(HandBack.class);

    private final Database db;
    private final JobStore store;
    private final Map<LeasedJob.Key, LeasedJob> left = new ConcurrentHashMap<>();

    HandBack(Database db, JobStore store) {
        this.db = db;
        this.store = store;
    }

    void now(List<LeasedJob> jobs) {
        jobs.forEach(job -> left.put(job.lease(), job));
        again();
    }

    /** Those that are left. One whose lease was lost changes nothing, and is asked for until it is over. */
    void again() {
        left.values().removeIf(LeasedJob::isOver);
        List<LeasedJob> jobs = List.copyOf(left.values());
        if (jobs.isEmpty()) {
            return;
        }
        try {
            long back = db.inStatement(tx -> store.handBack(tx, jobs));
            if (back == jobs.size()) {
                jobs.forEach(job -> left.remove(job.lease()));
            }
        } catch (RuntimeException e) {
            log.warn("{} jobs could not be handed back yet: {}", jobs.size(), e.getMessage());
        }
    }
}
