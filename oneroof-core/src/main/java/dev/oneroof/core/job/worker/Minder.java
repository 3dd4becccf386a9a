package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobStore;
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
 * Looks after the jobs that a process has in hand, from beside: keeps the leases of what takes long, tells handlers whose job
 * is cancelled, lost or past its deadline, and hands back what no handler begins.
 *
 * <p>Leases come first, and nothing here waits for somebody who holds a job: the others would run out meanwhile.
 */
final class Minder implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Minder.class);
    private static final Duration MINDING = Duration.ofMillis(500);
    /** Who is done sooner has mostly ended before anybody could be told. */
    private static final Duration TAKES_A_WHILE = MINDING.dividedBy(2);

    private static final double A_THIRD = 1 / 3.0;

    private final Database db;
    private final JobStore store;
    private final Collection<Lane> lanes;
    private final Handling handling;
    private final Ending ending;
    private final HandBack back;
    /** When the lease of a job was last extended; those that were not are as old as they were leased. */
    private final Map<LeasedJob.Key, Long> extendedNanos = new ConcurrentHashMap<>();

    private final Waiting waiting = new Waiting();
    private volatile boolean isCancelHeard;

    Minder(Database db, JobStore store, Collection<Lane> lanes, Handling handling, Ending ending, HandBack back) {
        this.db = db;
        this.store = store;
        this.lanes = lanes;
        this.handling = handling;
        this.ending = ending;
        this.back = back;
    }

    @Override
    public void run() {
        while (!waiting.isStopped()) {
            waiting.pause(MINDING);
            guarded("leases were not kept", this::keepLeases);
            guarded("nobody was asked who is cancelled", this::lookForCancelled);
            guarded("nobody was told to end", this::stopLate);
            guarded("nothing was handed back", this::leaveToOthers);
        }
    }

    private static void guarded(String what, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            log.warn("jobs: {}, trying again: {}", what, e.getMessage());
        }
    }

    /** Somebody wants a job of some process cancelled. */
    void heardOfCancel() {
        isCancelHeard = true;
        waiting.wake();
    }

    void stop() {
        waiting.stop();
    }

    private void keepLeases() {
        lanes.forEach(this::keepLeases);
        extendedNanos
                .keySet()
                .removeIf(
                        lease -> handling.of(lease) == null && !ending.untold().containsKey(lease));
    }

    /** What runs is kept, and what is done until that is told: it would be done again. */
    private void keepLeases(Lane lane) {
        String kind = lane.work().kind().name();
        List<LeasedJob> due = Stream.concat(
                        handling.running().stream()
                                .filter(job -> !job.isPast(job.deadline()))
                                .map(RunningJob::leased),
                        ending.untold().values().stream())
                .filter(job -> job.kind().equals(kind) && isDue(job))
                .distinct()
                .toList();
        if (due.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        Map<LeasedJob.Key, JobStore.Verdict> verdicts = db.inStatement(tx -> store.extend(tx, due));
        for (LeasedJob job : due) {
            switch (verdicts.getOrDefault(job.lease(), JobStore.Verdict.LOST)) {
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
        return extended == null ? job.hasUsed(A_THIRD) : System.nanoTime() - extended > job.leaseNanos() / 3;
    }

    private void stop(LeasedJob job, RunningJob.Stop why) {
        RunningJob handled = handling.of(job.lease());
        if (handled != null) {
            handled.stop(why);
        }
    }

    /** Also of those that no handler has begun: they are given up without one. */
    private void lookForCancelled() {
        boolean all = isCancelHeard;
        isCancelHeard = false;
        List<LeasedJob> inHand = Stream.concat(
                        handling.running().stream()
                                .filter(job -> all || job.isPast(TAKES_A_WHILE))
                                .map(RunningJob::leased),
                        lanes.stream()
                                .flatMap(lane -> lane.waiting().stream())
                                .filter(job -> all || System.nanoTime() - job.leasedNanos() > TAKES_A_WHILE.toNanos()))
                .toList();
        if (inHand.isEmpty()) {
            return;
        }
        Set<JobId> cancelled = db.inStatement(tx -> store.cancelled(tx, inHand));
        inHand.stream().filter(job -> cancelled.contains(job.id())).forEach(job -> {
            if (lanes.stream().anyMatch(lane -> lane.takeOut(job))) {
                // Nobody has begun it: that ends it, and is no attempt.
                back.now(List.of(job));
            } else {
                stop(job, RunningJob.Stop.CANCELLED);
            }
        });
    }

    private void stopLate() {
        handling.running().stream()
                .filter(job -> job.isPast(job.deadline()))
                .forEach(job -> job.stop(RunningJob.Stop.DEADLINE));
    }

    /** What has waited for so long, or has no turn here, can be begun elsewhere. */
    private void leaveToOthers() {
        back.soon(lanes.stream()
                .filter(lane -> lane.isStarved() || lane.hasWaitedForLong())
                .map(Lane::takeBack)
                .flatMap(Collection::stream)
                .toList());
        back.again();
    }
}
