package dev.oneroof.core.job.worker;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.job.JobHandlerSpec;
import dev.oneroof.core.job.JobLeaseStore;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.core.worker.WakeUpLayer;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSpec;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the jobs of this process. A pass leases as many as the handlers need ({@link JobPickup}); each handler runs on a thread
 * of its own ({@link KindDispatcher}, {@link JobRunner}); outcomes are written in batches ({@link OutcomeWriter}); and a
 * thread extends leases and stops handlers ({@link LeaseExtender}).
 *
 * <p>Each process has its own scope, because every process runs jobs. The lease and the token of a job keep two processes from
 * running it at once.
 */
public final class JobWorker implements Worker {
    private static final Logger log = LoggerFactory.getLogger(JobWorker.class);
    private static final Duration LONGEST_WAIT_FOR_ROOM = Duration.ofMillis(50);
    private static final Duration OUTCOMES_DELAYED_AFTER = Duration.ofSeconds(5);
    private static final Duration GATE_INTERVAL = Duration.ofMillis(400);
    private static final Duration STOP_GRACE = Duration.ofSeconds(20);
    private static final Duration INTERRUPT_GRACE = Duration.ofSeconds(2);
    private static final Duration WRITE_GRACE = Duration.ofSeconds(5);

    private final String instance;
    private final Database db;
    private final Duration poll;
    private final Runnable wake;
    private final Runnable wakeSoon;
    private final GateStore gates = new GateStore();
    private final KindDispatchers dispatchers = new KindDispatchers();
    private final OutcomeWriter outcomes;
    private final LeaseReleaser releaser;
    private final JobRunner runner;
    private final LeaseExtender extender;
    private final JobLeaser leaser;
    private final JobPickup pickup;
    private final Waiting room = new Waiting();
    private @Nullable Thread outcomesThread;
    private @Nullable Thread extenderThread;
    private long gateOpenNanos = System.nanoTime() - GATE_INTERVAL.toNanos();
    private volatile boolean isWaitingForRoom;

    /**
     * @param poll how often it leases without a wake-up
     * @param wake makes its loop start a pass
     * @param wakeSoon the same after some milliseconds
     */
    public JobWorker(
            String instance,
            Database db,
            Collection<JobHandlerSpec> specs,
            Duration poll,
            Runnable wake,
            Runnable wakeSoon) {
        this.instance = instance;
        this.db = db;
        this.poll = poll;
        this.wake = wake;
        this.wakeSoon = wakeSoon;
        JobLeaseStore store = new JobLeaseStore();
        this.outcomes = new OutcomeWriter(db, store, written -> {
            if (written.stream().anyMatch(job -> dispatchers.get(job.kind()).hasRunningLimit())) {
                wake.run();
            }
        });
        this.releaser = new LeaseReleaser(db, store);
        this.runner = new JobRunner(db, store, outcomes, releaser);
        this.extender = new LeaseExtender(db, store, dispatchers, runner, outcomes, releaser);
        this.leaser = new JobLeaser(instance, db, store, dispatchers, releaser);
        this.pickup = new JobPickup(db, dispatchers, leaser, outcomes, poll);
        specs.forEach(spec -> dispatchers.add(dispatcher(spec)));
    }

    /** Runs jobs of a further kind, from the next pass on. The kind is registered, and was not added before. */
    public void add(JobHandlerSpec spec) {
        dispatchers.add(dispatcher(spec));
        wake.run();
        // The pass that runs may have listed the kinds already.
        room.wake();
    }

    private KindDispatcher dispatcher(JobHandlerSpec spec) {
        // The end of such a job is committed by its handler and not seen by the outcome writer.
        boolean freesRunningLimit = spec.inTx() != null && spec.kind().limits().running() != null;
        return new KindDispatcher(spec, job -> runner.run(spec, job), () -> {
            if (isWaitingForRoom) {
                room.wake();
            }
            if (freesRunningLimit) {
                wake.run();
            } else if (pickup.hasRoomAgain(spec.kind().name())) {
                // More jobs may end until then, and one lease serves all of them.
                wakeSoon.run();
            }
        });
    }

    /** No gate: the lease function reads it, and leased jobs may finish. */
    @Override
    public WorkerSpec spec() {
        return WorkerSpec.of(Scope.of("jobs", instance))
                .wokenBy(WakeUpLayer.JOB)
                .counting("job")
                .removingScope(true);
    }

    @Override
    public void onWakeUp(WakeUpLayer layer) {
        if (layer == WakeUpLayer.JOB_CANCEL) {
            extender.cancelRequested();
        }
    }

    /** Whether so many jobs of these kinds would start immediately. If so, their handlers are reserved until the next lease. */
    public boolean wouldTake(Map<String, Integer> jobs) {
        return pickup.promise(jobs);
    }

    @Override
    public void prepare() {
        leaser.loadFloors();
        // Each thread once, also if an earlier call has failed in between.
        if (outcomesThread == null) {
            outcomesThread = Thread.ofPlatform().name("oneroof-job-outcomes").start(outcomes);
        }
        if (extenderThread == null) {
            extenderThread = Thread.ofPlatform().name("oneroof-job-leases").start(extender);
        }
    }

    @Override
    public boolean pollNow(Notifications here) {
        return pickup.pickUpOn(here);
    }

    @Override
    public Pass runOnce(Lease lease) {
        if (pickup.wanted().isEmpty()) {
            awaitRoom();
            return checked(new Pass.Worked(0));
        }
        Optional<Pass> leased = pickup.pickUp();
        leaser.storeFloors();
        if (leased.isPresent()) {
            return checked(leased.get());
        }
        return checked(closedGate().<Pass>map(why -> new Pass.Held(why, poll)).orElseGet(() -> new Pass.Idle(poll)));
    }

    private void awaitRoom() {
        isWaitingForRoom = true;
        if (pickup.wanted().isEmpty()) {
            room.pause(LONGEST_WAIT_FOR_ROOM);
        }
        isWaitingForRoom = false;
    }

    /** For the reported state only, as the lease function reads the gate itself. Passes come in quick succession after work. */
    private Optional<String> closedGate() {
        if (System.nanoTime() - gateOpenNanos < GATE_INTERVAL.toNanos()) {
            return Optional.empty();
        }
        Optional<String> closed = db.inStatement(tx -> gates.whyClosed(tx, Gates.JOBS));
        if (closed.isEmpty()) {
            gateOpenNanos = System.nanoTime();
        }
        return closed;
    }

    /** Replaces the result of a pass while outcomes cannot be written, or a handler does not end. */
    private Pass checked(Pass pass) {
        Duration delay = outcomes.delay();
        if (delay.compareTo(OUTCOMES_DELAYED_AFTER) > 0) {
            return new Pass.Degraded(
                    "could not record the outcome of %d jobs for %d s"
                            .formatted(outcomes.unwritten().size(), delay.toSeconds()),
                    poll);
        }
        return runner.running().stream()
                .filter(job -> job.isPast(job.deadline().plus(INTERRUPT_GRACE)))
                .findFirst()
                .<Pass>map(job -> new Pass.Stuck(
                        "the handler of %s %s is past its deadline of %d s and does not end"
                                .formatted(job.kind(), job.id(), job.deadline().toSeconds()),
                        pass instanceof Pass.Worked || pass instanceof Pass.CaughtUp ? Duration.ZERO : poll))
                .orElse(pass);
    }

    /** Hands back queued jobs, waits for running handlers, then interrupts them. */
    @Override
    public void end() {
        pickup.close();
        releaser.release(dispatchers.all().stream()
                .flatMap(dispatcher -> dispatcher.drain().stream())
                .toList());
        awaitIdle(STOP_GRACE);
        runner.running().forEach(job -> job.stop(RunningJob.Stop.SHUTDOWN));
        awaitIdle(INTERRUPT_GRACE);
        releaser.releasePending();
        if (!runner.running().isEmpty()) {
            log.error(
                    "{} handlers did not end within {} s; their jobs will be retried after lease expiry",
                    runner.running().size(),
                    STOP_GRACE.plus(INTERRUPT_GRACE).toSeconds());
        }
        outcomes.close();
        if (!hasEnded(outcomesThread, WRITE_GRACE)) {
            outcomes.stopWaiting();
            hasEnded(outcomesThread, WRITE_GRACE.multipliedBy(2));
        }
        // Not earlier: it extends the leases of jobs whose outcome is not written yet.
        extender.stop();
        hasEnded(extenderThread, INTERRUPT_GRACE);
        releaser.releasePending();
    }

    private static boolean hasEnded(@Nullable Thread thread, Duration time) {
        try {
            return thread == null || thread.join(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void awaitIdle(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        isWaitingForRoom = true;
        // Not by the runner: a job that a thread has just taken is not among the running ones yet.
        while (!dispatchers.isIdle() && System.nanoTime() - end < 0) {
            room.pause(LONGEST_WAIT_FOR_ROOM);
        }
    }
}
