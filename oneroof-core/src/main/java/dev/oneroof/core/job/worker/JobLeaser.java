package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobLeaseStore;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leases jobs and gives them to their dispatchers. One lease at a time: {@link #lock} is held by the caller. */
final class JobLeaser {
    private static final Logger log = LoggerFactory.getLogger(JobLeaser.class);
    /** The most jobs of one lease. */
    static final int BATCH = 1000;
    /** A process that stops within the transaction of a lease keeps the rows locked for no longer. */
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(5);

    private final String instance;
    private final Database db;
    private final JobLeaseStore store;
    private final KindDispatchers dispatchers;
    private final LeaseReleaser releaser;
    private final ScanFloors floors = new ScanFloors();
    private final ScanFloorStore floorStore = new ScanFloorStore();
    private final ReentrantLock lock = new ReentrantLock();

    JobLeaser(String instance, Database db, JobLeaseStore store, KindDispatchers dispatchers, LeaseReleaser releaser) {
        this.instance = instance;
        this.db = db;
        this.store = store;
        this.dispatchers = dispatchers;
        this.releaser = releaser;
    }

    /**
     * What a lease returned.
     *
     * @param nanos how long the database took
     * @param isRolledBack whether it was rolled back because a job would have been queued on its last attempt
     */
    record Result(List<LeasedJob> jobs, long nanos, boolean isRolledBack) {}

    ReentrantLock lock() {
        return lock;
    }

    /** Starts with the floors that other processes have stored. */
    void loadFloors() {
        floors.start(db.inStatement(tx -> floorStore.load(tx, dispatchers.kinds())), System.nanoTime());
    }

    /** Whether the next lease may skip jobs below a floor. */
    boolean hasFloors() {
        return floors.isRaised();
    }

    /**
     * Leases jobs and starts them.
     *
     * @param wanted by kind, how many at most
     * @param execution how the statement runs: in a transaction of its own if jobs are prefetched, so that the lease can be
     *     rolled back when one of them is on its last attempt
     * @param lockTimeout how long to wait for a lock on the table
     */
    Result lease(Map<String, Integer> wanted, Function<Function<Tx, Result>, Result> execution, Duration lockTimeout) {
        wanted.keySet().forEach(kind -> dispatchers.get(kind).leaseStarts());
        Map<String, String> from = floors.now(System.nanoTime());
        int limit = Math.min(
                BATCH, wanted.values().stream().mapToInt(Integer::intValue).sum());
        AtomicBoolean isSent = new AtomicBoolean();
        Result result = releasedIfUnanswered(
                wanted.keySet(),
                isSent,
                token -> execution.apply(tx -> {
                    isSent.set(true);
                    // Measured from here: the wait for a connection must not count as a slow scan.
                    long started = System.nanoTime();
                    List<LeasedJob> found =
                            store.lease(tx, wanted, limit, instance, from, token, lockTimeout, IDLE_TIMEOUT);
                    long nanos = System.nanoTime() - started;
                    if (wouldQueueLastAttempt(found)) {
                        tx.abandon();
                        return new Result(List.of(), nanos, true);
                    }
                    return new Result(found, nanos, false);
                }));
        if (!result.isRolledBack()) {
            floors.scanned(from.isEmpty(), result.jobs(), result.nanos(), System.nanoTime());
            byKind(result.jobs()).forEach((kind, jobs) -> dispatchers.get(kind).add(jobs));
            wanted.keySet().forEach(kind -> dispatchers.get(kind).leaseEnded());
        }
        return result;
    }

    static Map<String, List<LeasedJob>> byKind(List<LeasedJob> jobs) {
        return jobs.stream().collect(Collectors.groupingBy(LeasedJob::kind));
    }

    private boolean wouldQueueLastAttempt(List<LeasedJob> found) {
        // No short circuit: each dispatcher must see its jobs, and suspend its prefetch.
        return byKind(found).entrySet().stream()
                        .filter(one -> dispatchers.get(one.getKey()).wouldQueueLastAttempt(one.getValue()))
                        .count()
                > 0;
    }

    /** Without an answer there may be leased jobs that this process does not know of. They are handed back by token. */
    private Result releasedIfUnanswered(Set<String> kinds, AtomicBoolean isSent, Function<UUID, Result> lease) {
        UUID token = UUID.randomUUID();
        try {
            return lease.apply(token);
        } catch (RuntimeException | Error e) {
            if (isSent.get() && !SqlState.isLockTimeout(e)) {
                Duration longest = kinds.stream()
                        .map(kind -> dispatchers.get(kind).leaseTime())
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO);
                releaser.releaseUnanswered(token, kinds, longest);
            }
            throw e;
        }
    }

    /** Stores the floors for processes that start. A failure is harmless: they scan from the beginning. */
    void storeFloors() {
        Optional<ScanFloors.Snapshot> snapshot;
        lock.lock();
        try {
            snapshot = floors.toStore(System.nanoTime());
        } finally {
            lock.unlock();
        }
        try {
            snapshot.ifPresent(one -> db.inStatement(tx -> floorStore.store(tx, one)));
        } catch (RuntimeException e) {
            log.debug("jobs: could not store the scan floors", e);
        }
    }
}
