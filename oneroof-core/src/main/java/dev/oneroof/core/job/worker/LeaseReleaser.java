package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobLeaseStore;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands back leased jobs that no handler has started or finished, so that another process can run them. No attempt is counted.
 * It waits neither for locked rows nor for an unavailable server: those jobs stay pending, and are handed back later, until
 * their leases expire.
 */
public final class LeaseReleaser {
    private static final Logger log = LoggerFactory.getLogger(LeaseReleaser.class);

    private final Database db;
    private final JobLeaseStore store;
    private final Map<LeasedJob.Key, Pending> pending = new ConcurrentHashMap<>();
    private final Map<UUID, Unanswered> unanswered = new ConcurrentHashMap<>();

    /** @param expiresNanos the latest time at which its lease can expire, as if it had been extended just before */
    private record Pending(LeasedJob job, long expiresNanos) {}

    /** A lease statement without an answer, of which there may be jobs. */
    private record Unanswered(Set<String> kinds, long expiresNanos) {}

    public LeaseReleaser(Database db, JobLeaseStore store) {
        this.db = db;
        this.store = store;
    }

    public void release(List<LeasedJob> jobs) {
        releaseLater(jobs);
        releaseJobs();
    }

    /** With the next {@link #releasePending}. */
    void releaseLater(List<LeasedJob> jobs) {
        long now = System.nanoTime();
        jobs.forEach(job -> pending.put(job.lease(), new Pending(job, now + job.leaseNanos())));
    }

    /**
     * Hands back the jobs that were leased with this token, if any. A server that hangs may commit the lease later, so this is
     * repeated until the lease would have expired.
     */
    void releaseUnanswered(UUID token, Set<String> kinds, Duration lease) {
        unanswered.put(token, new Unanswered(Set.copyOf(kinds), System.nanoTime() + lease.toNanos()));
    }

    public void releasePending() {
        releaseJobs();
        releaseTokens();
    }

    private void releaseTokens() {
        long now = System.nanoTime();
        unanswered.values().removeIf(one -> one.expiresNanos() - now < 0);
        Map<UUID, Unanswered> asked = Map.copyOf(unanswered);
        if (asked.isEmpty()) {
            return;
        }
        Set<String> kinds =
                asked.values().stream().flatMap(one -> one.kinds().stream()).collect(Collectors.toSet());
        try {
            long released = db.inStatement(tx -> store.handBackLeased(tx, kinds, asked.keySet()));
            if (released > 0) {
                log.warn("handed back {} jobs whose lease statement was not answered", released);
            }
        } catch (RuntimeException e) {
            log.debug("could not hand back jobs of {} unanswered lease statements yet", asked.size(), e);
        }
    }

    /** Takes the jobs out of the map, so that two threads do not hand back the same, and a hanging one keeps only its own. */
    private void releaseJobs() {
        List<Pending> mine = pending.keySet().stream()
                .map(pending::remove)
                .filter(Objects::nonNull)
                .toList();
        if (mine.isEmpty()) {
            return;
        }
        boolean allReleased = false;
        try {
            List<LeasedJob> jobs = mine.stream().map(Pending::job).toList();
            allReleased = db.inStatement(tx -> store.handBack(tx, jobs)) == jobs.size();
        } catch (RuntimeException e) {
            log.warn("could not hand back {} jobs yet: {}", mine.size(), e.getMessage());
        } finally {
            if (!allReleased) {
                putBack(mine);
            }
        }
    }

    /** All of them, as the answer does not say which rows were locked. To hand back a lost lease again changes nothing. */
    private void putBack(List<Pending> jobs) {
        long now = System.nanoTime();
        jobs.stream()
                .filter(one -> one.expiresNanos() - now > 0)
                .forEach(one -> pending.put(one.job().lease(), one));
    }
}
