package dev.oneroof.core.job.worker;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSpec;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the queue, in one of the running instances, whether that runs jobs or not: takes back jobs with expired leases,
 * queues scheduled jobs that are due, runs its tasks, and enforces retention. It only calls functions that other executors may
 * call as well.
 */
public final class JobKeeper implements Worker {
    private static final Logger log = LoggerFactory.getLogger(JobKeeper.class);
    private static final Scope SCOPE = Scope.of("job_keeper", "job_queue");
    private static final WorkerSpec SPEC = WorkerSpec.of(SCOPE).counting("job").removingScope(true);
    private static final int BATCH = 1000;
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration SHORTEST = Duration.ofMillis(5);
    private static final Duration RETENTION_INTERVAL = Duration.ofHours(1);

    private final Database db;
    private final List<MaintenanceTask> tasks;
    private final JobKeeperStore store = new JobKeeperStore();
    private final ScanWindow expired = new ScanWindow();
    private final ScanWindow due = new ScanWindow();
    private boolean hasKinds;
    private long retentionNanos = System.nanoTime() - RETENTION_INTERVAL.toNanos();

    /** @param tasks what else is due in one instance at a time, each at its own interval */
    public JobKeeper(Database db, MaintenanceTask... tasks) {
        this.db = db;
        this.tasks = List.of(tasks);
    }

    /** No gate: a lease that has run out is over, whatever the gate says. */
    @Override
    public WorkerSpec spec() {
        return SPEC;
    }

    /** Without a kind there is no job. Kinds are never removed. */
    @Override
    public boolean isNeeded() {
        hasKinds = hasKinds || db.inTx(store::isAnyKindKnown);
        return hasKinds;
    }

    @Override
    public void prepare() {
        // Needs only the functions.
    }

    @Override
    public Pass runOnce(Lease lease) {
        int reaped = scan(expired, reach -> db.inStatement(tx -> store.reap(tx, BATCH, SCOPE.worker(), reach)));
        if (reaped > 0) {
            log.warn("took back {} jobs with expired leases", reaped);
        }
        int promoted = scan(due, reach -> db.inStatement(tx -> store.promote(tx, BATCH, reach)));
        Duration untilTask = tasks.stream().map(JobKeeper::run).reduce(INTERVAL, JobKeeper::sooner);
        enforceRetention();
        if (untilTask.isZero() || reaped == BATCH || promoted == BATCH) {
            return new Pass.Worked(reaped + promoted);
        }
        Duration next = atLeastShortest(sooner(untilNextDue(), untilTask));
        return reaped + promoted > 0 ? new Pass.CaughtUp(reaped + promoted, next) : new Pass.Idle(next);
    }

    private static int scan(ScanWindow window, ToIntFunction<@Nullable Duration> scan) {
        long started = System.nanoTime();
        Duration reach = window.reach(started);
        int found = scan.applyAsInt(reach);
        window.scanned(reach, found < BATCH, found, started, System.nanoTime());
        return found;
    }

    /** A task that fails does not keep the others, or the reaper, from running. */
    private static Duration run(MaintenanceTask task) {
        try {
            return task.run();
        } catch (RuntimeException e) {
            log.warn(
                    "{} failed; retrying in {} s: {}",
                    task.getClass().getSimpleName(),
                    INTERVAL.toSeconds(),
                    e.getMessage());
            return INTERVAL;
        }
    }

    private static Duration sooner(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration atLeastShortest(Duration next) {
        return next.compareTo(SHORTEST) < 0 ? SHORTEST : next;
    }

    private Duration untilNextDue() {
        Double seconds = db.inTx(store::nextDueIn);
        return seconds == null || seconds >= INTERVAL.toSeconds() ? INTERVAL : Duration.ofNanos((long) (seconds * 1e9));
    }

    private void enforceRetention() {
        if (System.nanoTime() - retentionNanos < RETENTION_INTERVAL.toNanos()) {
            return;
        }
        retentionNanos = System.nanoTime();
        guarded(() -> db.inStatement(store::ensurePartitions));
        guarded(this::dropPartitions);
        guarded(this::dropClosedLetters);
    }

    private void dropPartitions() {
        for (List<String> dropped = db.inStatement(tx -> store.dropPartitions(tx, SCOPE.worker()));
                !dropped.isEmpty();
                dropped = db.inStatement(tx -> store.dropPartitions(tx, SCOPE.worker()))) {
            log.info("dropped partitions {}", dropped);
        }
    }

    private void dropClosedLetters() {
        long dropped = 0;
        for (long some = db.inStatement(tx -> store.dropClosedLetters(tx, SCOPE.worker()));
                some > 0;
                some = db.inStatement(tx -> store.dropClosedLetters(tx, SCOPE.worker()))) {
            dropped += some;
        }
        if (dropped > 0) {
            log.info("deleted {} closed dead letters", dropped);
        }
    }

    /** A step that fails is retried with the next run, and does not keep the others from running. */
    private static void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            log.warn("job retention failed; retrying in {} h: {}", RETENTION_INTERVAL.toHours(), e.getMessage());
        }
    }
}
