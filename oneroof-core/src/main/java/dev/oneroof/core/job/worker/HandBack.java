package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobStore;
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
 * Hands jobs back that no handler has begun, or is through with, for others to begin them: no attempt is counted. Nobody waits
 * for one that somebody holds, or for a database that is away; those are handed back later, for as long as their leases may
 * last.
 */
public final class HandBack {
    private static final Logger log = LoggerFactory.getLogger(HandBack.class);

    private final Database db;
    private final JobStore store;
    private final Map<LeasedJob.Key, Left> left = new ConcurrentHashMap<>();
    private final Map<UUID, InDoubt> inDoubt = new ConcurrentHashMap<>();

    /** @param overNanos when its lease is over, had it been extended just before it came here */
    private record Left(LeasedJob job, long overNanos) {}

    /** A lease whose answer did not come: of what kinds, and until when it may be there. */
    private record InDoubt(Set<String> kinds, long overNanos) {}

    public HandBack(Database db, JobStore store) {
        this.db = db;
        this.store = store;
    }

    public void now(List<LeasedJob> jobs) {
        soon(jobs);
        handWhatIsLeft();
    }

    /** By whoever does it {@linkplain #again again}. */
    void soon(List<LeasedJob> jobs) {
        long now = System.nanoTime();
        jobs.forEach(job -> left.put(job.lease(), new Left(job, now + job.leaseNanos())));
    }

    /**
     * What was leased with this token, where anything was: also what a server that stood still commits later, so it is asked
     * for until such a lease would be over.
     */
    void leasedBy(UUID token, Set<String> kinds, Duration lease) {
        inDoubt.put(token, new InDoubt(Set.copyOf(kinds), System.nanoTime() + lease.toNanos()));
    }

    /** All that is left, or in doubt. */
    public void again() {
        handWhatIsLeft();
        handWhatIsInDoubt();
    }

    private void handWhatIsInDoubt() {
        long now = System.nanoTime();
        inDoubt.values().removeIf(one -> one.overNanos() - now < 0);
        Map<UUID, InDoubt> asked = Map.copyOf(inDoubt);
        if (asked.isEmpty()) {
            return;
        }
        Set<String> kinds =
                asked.values().stream().flatMap(one -> one.kinds().stream()).collect(Collectors.toSet());
        try {
            long back = db.inStatement(tx -> store.handBackLeased(tx, kinds, asked.keySet()));
            if (back > 0) {
                log.warn("{} jobs were leased, and no answer came: they are handed back", back);
            }
        } catch (RuntimeException e) {
            log.debug("what may be leased could not be handed back yet", e);
        }
    }

    /** Those that are left and nobody else is just handing back: one that is not answered keeps only what it has taken. */
    private void handWhatIsLeft() {
        List<Left> mine = left.keySet().stream()
                .map(left::remove)
                .filter(Objects::nonNull)
                .toList();
        if (mine.isEmpty()) {
            return;
        }
        boolean areBack = false;
        try {
            List<LeasedJob> jobs = mine.stream().map(Left::job).toList();
            areBack = db.inStatement(tx -> store.handBack(tx, jobs)) == jobs.size();
        } catch (RuntimeException e) {
            log.warn("{} jobs could not be handed back yet: {}", mine.size(), e.getMessage());
        } finally {
            if (!areBack) {
                leave(mine);
            }
        }
    }

    /** Which of them somebody holds is not known: one whose lease was lost changes nothing, and is asked for until it is over. */
    private void leave(List<Left> jobs) {
        long now = System.nanoTime();
        jobs.stream()
                .filter(one -> one.overNanos() - now > 0)
                .forEach(one -> left.put(one.job().lease(), one));
    }
}
