package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobLeaseStore;
import dev.oneroof.core.job.LeasedJob;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supervises the jobs in flight, twice a second on its own thread: extends leases, interrupts handlers whose job is cancelled,
 * lost or past its deadline, and hands back jobs that no handler starts.
 *
 * <p>Leases come first, and nothing here waits for a locked row: the other leases would expire meanwhile.
 */
final class LeaseExtender implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(LeaseExtender.class);
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** Younger jobs mostly end before a cancel request could reach them, so they are not asked for. */
    private static final Duration CANCEL_CHECK_AGE = INTERVAL.dividedBy(2);
    /** The share of a lease after which it is extended. */
    private static final double EXTEND_AFTER = 1 / 3.0;

    private final Database db;
    private final JobLeaseStore store;
    private final KindDispatchers dispatchers;
    private final JobRunner runner;
    private final OutcomeWriter outcomes;
    private final LeaseReleaser releaser;
    /** When a lease was last extended; absent for those that never were. */
    private final Map<LeasedJob.Key, Long> extendedNanos = new ConcurrentHashMap<>();

    private final Waiting waiting = new Waiting();
    private volatile boolean isCancelRequested;

    LeaseExtender(
            Database db,
            JobLeaseStore store,
            KindDispatchers dispatchers,
            JobRunner runner,
            OutcomeWriter outcomes,
            LeaseReleaser releaser) {
        this.db = db;
        this.store = store;
        this.dispatchers = dispatchers;
        this.runner = runner;
        this.outcomes = outcomes;
        this.releaser = releaser;
    }

    @Override
    public void run() {
        while (!waiting.isStopped()) {
            waiting.pause(INTERVAL);
            guarded("extend leases", this::extendLeases);
            guarded("check for cancel requests", this::stopCancelled);
            guarded("stop handlers past their deadline", this::stopLate);
            guarded("hand back jobs", this::releaseWaiting);
        }
    }

    private static void guarded(String what, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            log.warn("jobs: could not {}; retrying in {} ms: {}", what, INTERVAL.toMillis(), e.getMessage());
        }
    }

    /** A cancel of some job, maybe of another process, was requested. */
    void cancelRequested() {
        isCancelRequested = true;
        waiting.wake();
    }

    void stop() {
        waiting.stop();
    }

    private void extendLeases() {
        dispatchers.kinds().forEach(this::extendLeases);
        extendedNanos
                .keySet()
                .removeIf(lease ->
                        runner.of(lease) == null && !outcomes.unwritten().containsKey(lease));
    }

    /** Of running jobs, and of finished ones until their outcome is written: they would be run again. */
    private void extendLeases(String kind) {
        List<LeasedJob> due = Stream.concat(
                        runner.running().stream()
                                .filter(job -> !job.isPast(job.deadline()))
                                .map(RunningJob::leased),
                        outcomes.unwritten().values().stream())
                .filter(job -> job.kind().equals(kind) && isDue(job))
                .distinct()
                .toList();
        if (due.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        Map<LeasedJob.Key, JobLeaseStore.Verdict> verdicts = db.inStatement(tx -> store.extend(tx, due));
        for (LeasedJob job : due) {
            switch (verdicts.getOrDefault(job.lease(), JobLeaseStore.Verdict.LOST)) {
                case BUSY -> {}
                case HELD -> extendedNanos.put(job.lease(), now);
                case LOST -> stop(job, RunningJob.Stop.LOST);
                case CANCEL -> {
                    extendedNanos.put(job.lease(), now);
                    stop(job, RunningJob.Stop.CANCELLED);
                }
            }
        }
    }

    private boolean isDue(LeasedJob job) {
        Long extended = extendedNanos.get(job.lease());
        return extended == null
                ? job.hasUsed(EXTEND_AFTER)
                : System.nanoTime() - extended > job.leaseNanos() * EXTEND_AFTER;
    }

    private void stop(LeasedJob job, RunningJob.Stop why) {
        RunningJob running = runner.of(job.lease());
        if (running != null) {
            running.stop(why);
        }
    }

    private void stopCancelled() {
        boolean all = isCancelRequested;
        isCancelRequested = false;
        List<LeasedJob> inFlight = Stream.concat(
                        runner.running().stream()
                                .filter(job -> all || job.isPast(CANCEL_CHECK_AGE))
                                .map(RunningJob::leased),
                        dispatchers.all().stream()
                                .flatMap(dispatcher -> dispatcher.queued().stream())
                                .filter(job ->
                                        all || System.nanoTime() - job.leasedNanos() > CANCEL_CHECK_AGE.toNanos()))
                .toList();
        if (inFlight.isEmpty()) {
            return;
        }
        Set<JobId> cancelled = db.inStatement(tx -> store.cancelled(tx, inFlight));
        inFlight.stream().filter(job -> cancelled.contains(job.id())).forEach(job -> {
            if (dispatchers.all().stream().anyMatch(dispatcher -> dispatcher.remove(job))) {
                // No handler has started it: handing it back ends it, and counts no attempt.
                releaser.release(List.of(job));
            } else {
                stop(job, RunningJob.Stop.CANCELLED);
            }
        });
    }

    private void stopLate() {
        runner.running().stream()
                .filter(job -> job.isPast(job.deadline()))
                .forEach(job -> job.stop(RunningJob.Stop.DEADLINE));
    }

    /** Queued jobs that have waited too long, or whose threads are not scheduled here, can start in another process. */
    private void releaseWaiting() {
        releaser.releaseLater(dispatchers.all().stream()
                .filter(dispatcher -> dispatcher.isStarved() || dispatcher.hasWaitedTooLong())
                .map(KindDispatcher::drain)
                .flatMap(Collection::stream)
                .toList());
        releaser.releasePending();
    }
}
