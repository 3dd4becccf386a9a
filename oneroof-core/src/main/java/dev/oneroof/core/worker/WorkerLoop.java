package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Beat;
import dev.oneroof.core.lease.BeatStatus;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseBeat;
import dev.oneroof.core.lease.Renewal;
import dev.oneroof.postgres.Notifications;
import dev.oneroof.postgres.SqlState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one worker until it is stopped: claims its scope, reads its gates and its pause, makes a pass, beats, waits. It beats
 * after every turn, with work or without, gate open or closed, so that quiet is never mistaken for dead.
 */
final class WorkerLoop implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(WorkerLoop.class);
    private static final Duration LONGEST_SLICE = Duration.ofSeconds(1);
    private static final Duration REST_UNDER_LOAD = Duration.ofMillis(250);
    private static final int FAILURES_BEFORE_RELEASE = 5;
    private static final int TURNS_LEFT_TO_OTHERS = 3;

    private final Worker worker;
    private final WorkerSpec spec;
    private final LeaseHolder holder;
    private final GateBoard board;
    private final LoopConfig config;
    private final ScopeBalancer balancer;
    private final Observer observer;
    private final Waiting waiting = new Waiting();
    private final PassClock clock = new PassClock();
    private final PollPace pace;
    private final WorkTally tally;

    private volatile boolean prepared;
    private volatile boolean handingOver;
    private volatile boolean ended;
    /** Whether the rest that follows is a wait for work, so that a wake-up may end it. */
    private volatile boolean wakeable;
    /** Whether the last turn found nothing to do, and nothing that stops it. */
    private volatile boolean quiet;
    /** Passes in a row that failed here and might not elsewhere: not those without a database or a lease. */
    private final AtomicInteger failures = new AtomicInteger();

    private int turnsLeftToOthers;

    WorkerLoop(
            Worker worker,
            LeaseHolder holder,
            GateBoard board,
            LoopConfig config,
            ScopeBalancer balancer,
            Observer observer) {
        this.observer = observer;
        this.worker = worker;
        this.spec = worker.spec();
        this.holder = holder;
        this.board = board;
        this.config = config;
        this.balancer = balancer;
        this.pace = new PollPace(config.longestBackoff());
        this.tally = new WorkTally(spec.unit());
    }

    String name() {
        return spec.scope().executorName();
    }

    boolean holds() {
        return holder.holds();
    }

    /** Whether it holds its scope and can release it: not while it is stuck, nor once it was asked to. */
    boolean canHandOver() {
        return holds() && !handingOver && !isStuck();
    }

    /** In a pass past its deadline: another instance has claimed the lease, or soon will. */
    boolean isStuck() {
        return clock.running().compareTo(config.passDeadline()) > 0;
    }

    /** Asks the loop to release its scope after the current pass, and to leave it to other instances for a while. */
    void handOver() {
        handingOver = true;
    }

    /** Whether it would work on its scope: one that only fails, or is stuck, leaves it to other instances. */
    boolean wantsScope() {
        return !ended && failures.get() < FAILURES_BEFORE_RELEASE && !isStuck();
    }

    /** Asks the loop to end after the current pass. */
    void stop() {
        waiting.stop();
    }

    /** For the instance's thread: the beat to write now. A long pass is renewed from there, a stuck one is not. */
    @Nullable
    LeaseBeat dueBeat() {
        Duration running = clock.running();
        if (!holds() || running.compareTo(config.leaseTime().dividedBy(3)) < 0) {
            return holder.takeDueBeat();
        }
        if (isStuck()) {
            clock.reportOnce(this::reportStuck);
            return null;
        }
        return holder.dueInLongPass(running);
    }

    private boolean reportStuck() {
        String reason =
                "in one pass for over %d s".formatted(config.passDeadline().toSeconds());
        log.error("{}: {}", name(), reason);
        return holder.reportStuck(reason);
    }

    void beatSent(LeaseBeat beat, Renewal renewal) {
        holder.sent(beat, renewal);
    }

    boolean canBeWoken() {
        return prepared && (worker.isWokenBy(WakeUpLayer.EVENT) || worker.isWokenBy(WakeUpLayer.JOB));
    }

    /**
     * As {@link #wake(WakeUpLayer)}, but the worker first polls on the listener's connection. Where that takes all the work, the
     * loop sleeps on for some milliseconds: the work that was just started gets the processor.
     */
    void wake(WakeUpLayer layer, Notifications connection) {
        if (quiet && wouldPoll(layer) && worker.pollNow(connection)) {
            worker.onWakeUp(layer);
            // One wake-up is sent for all rows within some milliseconds, and not all of them were committed yet.
            waiting.wakeIn(PollPace.SHORTEST);
            return;
        }
        wake(layer);
    }

    void wake(WakeUpLayer layer) {
        if (!prepared || !holds()) {
            return;
        }
        worker.onWakeUp(layer);
        if (worker.isWokenBy(layer)) {
            waiting.wake();
        }
    }

    void wakeSoon(WakeUpLayer layer) {
        if (prepared && holds() && worker.isWokenBy(layer)) {
            waiting.wakeIn(PollPace.SHORTEST);
        }
    }

    void wake() {
        if (holds()) {
            waiting.wake();
        }
    }

    /** Whether it holds its scope, is woken by this layer, and nothing is known that would stop its next pass. */
    boolean wouldPoll(WakeUpLayer layer) {
        return prepared
                && holds()
                && worker.isWokenBy(layer)
                && !waiting.isStopped()
                && !handingOver
                && !isDrained()
                && !board.wasStopped(spec)
                && !(spec.yieldsToLoad() && !(balancer.load() instanceof Load.Normal));
    }

    @Override
    public void run() {
        try {
            while (!waiting.isStopped()) {
                wakeable = false;
                Duration pause = guardedTurn();
                quiet = wakeable;
                if (pause.isPositive()) {
                    guardedRest(PollPace.jittered(pause));
                }
            }
            endWorker();
        } finally {
            ended = true;
            endLease();
        }
    }

    private void guardedRest(Duration pause) {
        try {
            rest(pause);
        } catch (RuntimeException | Error e) {
            log.error("{}: a wait failed", name(), e);
            waiting.pause(PollPace.FIRST_BACKOFF);
        }
    }

    /** Beats however long it lasts, and ends early when a gate, a pause or an operator stops the worker. */
    private void rest(Duration pause) {
        boolean held = holds();
        long end = System.nanoTime() + pause.toNanos();
        for (long left = pause.toNanos(); left > 0; left = end - System.nanoTime()) {
            Duration slice = Duration.ofNanos(Math.min(left, Math.min(LONGEST_SLICE.toNanos(), untilBeatNanos())));
            Waiting.Rest rest = waiting.rest(slice, wakeable);
            if (rest == Waiting.Rest.WOKEN) {
                pace.restart();
            }
            if (rest != Waiting.Rest.OVER || handingOver || isDrained() || end - System.nanoTime() <= 0) {
                return;
            }
            if (held && (isStoppedWhileResting() || !holds())) {
                return;
            }
        }
    }

    private long untilBeatNanos() {
        long due = holder.untilBeatNanos();
        return holds() && due > 0 ? due : LONGEST_SLICE.toNanos();
    }

    /** Beats; true where a gate or a pause calls for a turn before its time. */
    private boolean isStoppedWhileResting() {
        try {
            holder.beatAgainIfDue();
            return wakeable
                    && (board.closedGate(spec).isPresent()
                            || board.pause(spec.scope()).isPresent());
        } catch (RuntimeException e) {
            // The next turn fails the same way, and reports it.
            log.debug("{}: no beat while resting", name(), e);
            return false;
        }
    }

    private boolean isDrained() {
        return balancer.isDraining() && !(spec.runsWhileDraining() && !balancer.isWantedElsewhere(name()));
    }

    private Duration guardedTurn() {
        try {
            Duration pause = turn();
            pace.succeeded();
            return pause;
        } catch (RuntimeException | Error e) {
            // An Error, too: a dead thread would keep its scope until the lease expires, and never claim it again.
            if (SqlState.isTransient(e)) {
                log.warn("{}: pass failed, retrying: {}", name(), e.getMessage());
            } else {
                log.error("{}: pass failed", name(), e);
                if (holds()) {
                    failures.incrementAndGet();
                }
            }
            beatAfterFailure(e);
            return pace.backoffAfterFailure();
        }
    }

    /** One turn; returns how long to wait before the next. */
    private Duration turn() {
        if (handingOver) {
            handingOver = false;
            turnsLeftToOthers = 0;
            holder.release();
            return config.leaseTime();
        }
        if (isDrained()) {
            endLease();
            return config.beatInterval();
        }
        if (failures.get() >= FAILURES_BEFORE_RELEASE && balancer.isWantedElsewhere(name())) {
            holder.release();
            return config.leaseTime();
        }
        Lease held = holder.lease();
        if (held == null && worker.isNeeded() && !isOthersTurn()) {
            held = holder.claim();
        }
        return held == null ? config.leaseTime().dividedBy(3) : turnUnder(held);
    }

    private Duration turnUnder(Lease lease) {
        prepareOnce();
        Optional<String> closed = board.closedGate(spec);
        if (closed.isPresent()) {
            holder.beatIfDue(Beat.held(BeatStatus.OK, closed.get()));
            return config.gateInterval();
        }
        Optional<Pause> pause = board.pause(spec.scope());
        if (pause.isPresent()) {
            String reason = pause.get().text();
            inPass(() -> {
                worker.onPause(lease, reason);
                return true;
            });
            holder.beatIfDue(Beat.held(BeatStatus.WARN, reason));
            return config.gateInterval();
        }
        Load load = spec.yieldsToLoad() ? balancer.load() : new Load.Normal();
        if (load instanceof Load.Hold hold) {
            holder.beatIfDue(Beat.held(BeatStatus.WARN, hold.reason()));
            return config.gateInterval();
        }
        long started = System.nanoTime();
        Pass pass = inPass(() -> worker.runOnce(lease));
        failures.set(0);
        observer.passEnded(
                spec.scope().worker(),
                spec.scope().source(),
                pass.rows(),
                Duration.ofNanos(System.nanoTime() - started));
        return after(pass, lease, load);
    }

    private Duration after(Pass pass, Lease lease, Load load) {
        return switch (pass) {
            case Pass.Worked worked -> worked(worked.rows(), load);
            case Pass.CaughtUp done -> {
                Duration rest = worked(done.rows(), load);
                Duration next = pace.untilNextPoll(done.interval());
                wakeable = rest.isZero();
                yield rest.compareTo(next) > 0 ? rest : next;
            }
            case Pass.Idle idle -> {
                holder.beatIfDue(tally.hasWorkedWithin(config.steadyBeat()) ? tally.beat() : Beat.quiet());
                wakeable = true;
                yield pace.untilNextPoll(idle.interval());
            }
            case Pass.Degraded degraded -> {
                holder.beatIfDue(Beat.failing(degraded.reason()));
                wakeable = true;
                yield degraded.interval();
            }
            case Pass.Stuck stuck -> {
                holder.beatIfDue(Beat.stuck(stuck.reason()));
                wakeable = true;
                yield stuck.interval();
            }
            case Pass.Held stopped -> {
                holder.beatIfDue(Beat.held(BeatStatus.WARN, stopped.reason()));
                yield stopped.interval();
            }
            case Pass.Lost lost -> {
                holder.lost(lease);
                yield config.gateInterval();
            }
        };
    }

    private Duration worked(long rows, Load load) {
        pace.restart();
        if (holder.beatIfDue(tally.add(rows, load))) {
            tally.reported();
        }
        return load instanceof Load.Slow ? REST_UNDER_LOAD : Duration.ZERO;
    }

    /** Under the lease, so that a worker that cannot be prepared, or hangs in it, is reported. */
    private void prepareOnce() {
        if (!prepared) {
            prepared = inPass(() -> {
                worker.prepare();
                return true;
            });
        }
    }

    private <R> R inPass(Supplier<R> work) {
        try {
            return clock.time(work);
        } finally {
            // A handler may leave the interrupt flag set. The loop is stopped in another way.
            Thread.interrupted();
        }
    }

    /** A free scope is left to an instance that holds fewer, for some turns; then this one claims it. */
    private boolean isOthersTurn() {
        if (turnsLeftToOthers < TURNS_LEFT_TO_OTHERS && balancer.isOthersTurn(name())) {
            turnsLeftToOthers++;
            return true;
        }
        turnsLeftToOthers = 0;
        return false;
    }

    private void beatAfterFailure(Throwable failure) {
        try {
            holder.beatIfDue(Beat.failing(failure));
        } catch (RuntimeException | Error e) {
            // The failure itself is logged; without a database no beat can be written.
            log.debug("{}: no beat after a failure", name(), e);
        }
    }

    private void endWorker() {
        if (!prepared) {
            return;
        }
        try {
            worker.end();
        } catch (RuntimeException e) {
            log.error("{}: the worker did not end cleanly", name(), e);
        }
    }

    private void endLease() {
        holder.end(spec.removesScope(), prepared);
    }
}
