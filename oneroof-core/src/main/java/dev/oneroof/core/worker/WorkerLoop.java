package dev.oneroof.core.worker;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.lease.Beat;
import dev.oneroof.core.lease.BeatStatus;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one worker until it is stopped: claims its scope, looks at its gate, makes a pass, beats, waits. It beats on every
 * kind of pass, work or none, gate open or closed, so that quiet can be told from dead.
 */
final class WorkerLoop implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(WorkerLoop.class);
    private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
    private static final Duration QUICKEST_LOOK = Duration.ofMillis(5);
    private static final Duration LONGEST_SLICE = Duration.ofSeconds(1);
    private static final int GIVES_UP = 5;
    private static final Duration REST_UNDER_LOAD = Duration.ofMillis(250);

    private final Worker worker;
    private final Database db;
    private final Tenure tenure;
    private final GateStore gates;
    private final LoopConfig config;
    private final Share share;
    private final Observer observer;
    private final Waiting waiting = new Waiting();

    private volatile boolean prepared;
    /** When the pass that runs began; zero while none does. */
    private volatile long passNanos;
    /** The pass of which it was told that it is stuck, by its beginning. Only looked at from beside. */
    private long toldStuck;

    private volatile boolean handingOver;
    private int passedOver;
    private Beat working = Beat.working("rows came by");
    /** When a pass last had something to do; who has a row now and then is not quiet in between. */
    private long workedNanos = System.nanoTime() - Duration.ofDays(1).toNanos();

    /** Passes in a row that failed here and might not elsewhere: not while the database was away, nor without a lease. */
    private final AtomicInteger failures = new AtomicInteger();

    /** Turns in a row that failed, whatever for. */
    private int troubles;

    private volatile boolean ended;
    /** How often in a row there was nothing to do since the last work or wake-up. */
    private int idleLooks = 30;
    /** Whether the rest that follows is a wait for work, and not for something that is in its way. */
    private volatile boolean wakeable;
    /** Whether the last turn found nothing to do and nothing in its way. */
    private volatile boolean quiet;

    WorkerLoop(
            Worker worker,
            String owner,
            Database db,
            LeaseStore leases,
            GateStore gates,
            LoopConfig config,
            Share share,
            Observer observer) {
        this.share = share;
        this.observer = observer;
        this.worker = worker;
        this.db = db;
        this.gates = gates;
        this.config = config;
        this.tenure = new Tenure(worker.scope(), owner, db, leases, config);
    }

    boolean holds() {
        return tenure.holds();
    }

    /** Whether it holds its scope and can give it back: not while it is stuck, nor once it was asked to. */
    boolean canHandOver() {
        return holds() && !handingOver && !isStuck();
    }

    /** In a pass past its deadline: whatever it thinks it holds is another's, or soon will be. */
    boolean isStuck() {
        long since = passNanos;
        return since != 0 && System.nanoTime() - since > config.passDeadline().toNanos();
    }

    /** Asks the loop to give its scope back after the pass it is in, and to leave it to others for a while. */
    void handOver() {
        handingOver = true;
    }

    /** Called from beside: keeps the lease of a pass that takes long, but not of one that is stuck. */
    void renewIfLong() {
        long since = passNanos;
        long inPass = System.nanoTime() - since;
        if (!holds() || since == 0 || inPass < config.leaseTime().dividedBy(3).toNanos()) {
            return;
        }
        if (inPass > config.passDeadline().toNanos()) {
            if (toldStuck != since) {
                String reason = "in one pass for over %d s"
                        .formatted(config.passDeadline().toSeconds());
                log.error("{}: {}", name(), reason);
                if (tenure.tellStuck(reason)) {
                    toldStuck = since;
                }
            }
            return;
        }
        tenure.renewIfDue();
    }

    boolean canBeWoken() {
        return prepared && (worker.isWokenBy("event") || worker.isWokenBy("job"));
    }

    /**
     * As {@link #wake(String)}; work that is taken at once is taken before the loop's own thread has come to. Where nothing is
     * left it stays asleep for now: what was just begun is to have the machine.
     */
    void wake(String layer, Notifications here) {
        if (quiet && wouldLook(layer) && worker.lookAtOnce(here)) {
            worker.heard(layer);
            // One wake-up does for all within that time, and not all of them were there yet.
            waiting.wakeIn(QUICKEST_LOOK);
            return;
        }
        wake(layer);
    }

    /** Whether it has its scope, and nothing that its loop would find in its way. */
    boolean wouldLook(String layer) {
        return prepared && holds() && worker.isWokenBy(layer) && !isStoppedSince();
    }

    /** What its loop would find in its way, had it come to. */
    private boolean isStoppedSince() {
        return waiting.isStopped()
                || handingOver
                || isDrained()
                || (worker.yieldsToLoad() && !(share.load() instanceof Load.Easy));
    }

    void wake(String layer) {
        if (!prepared || !holds()) {
            return;
        }
        worker.heard(layer);
        if (worker.isWokenBy(layer)) {
            wake();
        }
    }

    void wakeSoon(String layer) {
        if (prepared && holds() && worker.isWokenBy(layer)) {
            waiting.wakeIn(QUICKEST_LOOK);
        }
    }

    void wake() {
        if (holds()) {
            waiting.wake();
        }
    }

    /** Asks the loop to end after the pass it is in. */
    void stop() {
        waiting.stop();
    }

    String name() {
        return worker.scope().executorName();
    }

    @Override
    public void run() {
        try {
            while (!waiting.isStopped()) {
                wakeable = false;
                Duration pause = guardedStep();
                quiet = wakeable;
                if (pause.isPositive()) {
                    guardedRest(jittered(pause));
                }
            }
            end();
        } finally {
            ended = true;
            leave();
        }
    }

    private void guardedRest(Duration pause) {
        try {
            rest(pause);
        } catch (RuntimeException | Error e) {
            log.error("{}: a rest failed", name(), e);
            waiting.pause(FIRST_BACKOFF);
        }
    }

    /** Whether it would do anything with its scope: one that only fails, or is stuck, leaves it to others. */
    boolean wants() {
        return !ended && failures.get() < GIVES_UP && !isStuck();
    }

    /** However long there is nothing to look for, the worker is alive, and says so; and sees what stands in its way. */
    private void rest(Duration pause) {
        boolean held = holds();
        long end = System.nanoTime() + pause.toNanos();
        for (long left = pause.toNanos(); left > 0; left = end - System.nanoTime()) {
            Duration slice = Duration.ofNanos(Math.min(left, Math.min(LONGEST_SLICE.toNanos(), untilBeatNanos())));
            Waiting.Rest rest = waiting.rest(slice, wakeable);
            if (rest == Waiting.Rest.WOKEN) {
                idleLooks = 0;
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
        long due = tenure.untilBeatNanos();
        return holds() && due > 0 ? due : LONGEST_SLICE.toNanos();
    }

    /** Beats; whether there is a reason for a turn before its time. */
    private boolean isStoppedWhileResting() {
        try {
            tenure.beatAgainIfDue();
            return wakeable && (closedGate().isPresent() || worker.isPaused());
        } catch (RuntimeException e) {
            // The next pass will tell.
            log.debug("{}: no beat", name(), e);
            return false;
        }
    }

    private Optional<String> closedGate() {
        String gate = worker.gate();
        return gate == null ? Optional.empty() : db.inStatement(tx -> gates.whyClosed(tx, gate));
    }

    private boolean isDrained() {
        return share.isDraining() && !(worker.staysOnWatch() && !share.isWantedElsewhere(name()));
    }

    private Duration guardedStep() {
        try {
            Duration pause = step();
            troubles = 0;
            return pause;
        } catch (RuntimeException | Error e) {
            // An Error, too: of a thread that ended nobody would hear for long, and nobody would take its scope.
            troubles++;
            if (holds() && !SqlState.isTransient(e)) {
                failures.incrementAndGet();
            }
            if (SqlState.isTransient(e)) {
                log.warn("{}: trying again: {}", name(), e.getMessage());
            } else {
                log.error("{}: a pass failed", name(), e);
            }
            beatAfterFailure(e);
            return backoff();
        }
    }

    /** One turn; returns how long to wait before the next. */
    private Duration step() {
        if (handingOver) {
            handingOver = false;
            tenure.release();
            passedOver = 0;
            return config.leaseTime();
        }
        if (isDrained()) {
            leave();
            return config.beatInterval();
        }
        if (failures.get() >= GIVES_UP && share.isWantedElsewhere(name())) {
            tenure.release();
            return config.leaseTime();
        }
        Lease held = tenure.lease();
        if (held == null) {
            held = !worker.isNeeded() || isOthersTurn() ? null : tenure.claimed();
        }
        if (held == null) {
            return config.leaseTime().dividedBy(3);
        }
        prepareOnce();
        Optional<String> closed = closedGate();
        if (closed.isPresent()) {
            tenure.beatIfDue(Beat.held(BeatStatus.OK, closed.get()));
            return config.gateInterval();
        }
        Load load = worker.yieldsToLoad() ? share.load() : new Load.Easy();
        if (load instanceof Load.Hold hold) {
            tenure.beatIfDue(Beat.held(BeatStatus.WARN, hold.reason()));
            return config.gateInterval();
        }
        Pass pass = passed(held);
        return switch (pass) {
            case Pass.Worked worked -> {
                idleLooks = 0;
                yield worked(load);
            }
            case Pass.CaughtUp done -> {
                idleLooks = 0;
                Duration rest = worked(load);
                Duration next = untilNextLook(done.interval());
                wakeable = rest.isZero();
                yield rest.compareTo(next) > 0 ? rest : next;
            }
            case Pass.Idle idle -> {
                boolean justWorked =
                        System.nanoTime() - workedNanos < config.steadyBeat().toNanos();
                tenure.beatIfDue(justWorked ? working : Beat.quiet());
                wakeable = true;
                yield untilNextLook(idle.interval());
            }
            case Pass.Ailing ailing -> {
                tenure.beatIfDue(Beat.failing(ailing.reason()));
                wakeable = true;
                yield ailing.interval();
            }
            case Pass.Stuck stuck -> {
                tenure.beatIfDue(Beat.stuck(stuck.reason()));
                wakeable = true;
                yield stuck.interval();
            }
            case Pass.Held stopped -> {
                tenure.beatIfDue(Beat.held(BeatStatus.WARN, stopped.reason()));
                yield stopped.interval();
            }
            case Pass.Lost lost -> {
                tenure.lost();
                yield config.gateInterval();
            }
        };
    }

    private Duration worked(Load load) {
        workedNanos = System.nanoTime();
        working = Beat.working(load instanceof Load.Slow slow ? "slowed by " + slow.reason() : "rows came by");
        tenure.beatIfDue(working);
        return load instanceof Load.Slow ? REST_UNDER_LOAD : Duration.ZERO;
    }

    /** Soon after work or a wake-up, as more may be about to be committed; then less and less often. */
    private Duration untilNextLook(Duration usual) {
        Duration soon = QUICKEST_LOOK.multipliedBy(1L << Math.min(idleLooks, 20));
        idleLooks++;
        return soon.compareTo(usual) < 0 ? soon : usual;
    }

    private Pass passed(Lease held) {
        long begun = System.nanoTime();
        Pass pass = timed(() -> worker.runOnce(held));
        failures.set(0);
        observer.passEnded(
                worker.scope().worker(),
                worker.scope().source(),
                pass.rows(),
                Duration.ofNanos(System.nanoTime() - begun));
        return pass;
    }

    /** Under the lease: one that cannot be prepared, or does not come to its end with it, is told of. */
    private void prepareOnce() {
        if (!prepared) {
            prepared = timed(() -> {
                worker.prepare();
                return true;
            });
        }
    }

    private <R> R timed(Supplier<R> work) {
        passNanos = System.nanoTime();
        try {
            return work.get();
        } finally {
            passNanos = 0;
            // A handler may leave one behind. It was not meant for the loop, which is stopped in another way.
            Thread.interrupted();
        }
    }

    /** With its share in hands an instance leaves a free scope to others, and takes it when nobody came. */
    private boolean isOthersTurn() {
        if (passedOver < 3 && share.isOthersTurn(name())) {
            passedOver++;
            return true;
        }
        passedOver = 0;
        return false;
    }

    private void beatAfterFailure(Throwable failure) {
        try {
            tenure.beatIfDue(Beat.failing(reason(failure)));
        } catch (RuntimeException | Error e) {
            // The failed pass has been told; without a database there is nobody to beat to.
            log.debug("{}: no beat", name(), e);
        }
    }

    /** The message, where it was written for a reader; of any other failure its kind as well, which says more than "null". */
    private static String reason(Throwable failure) {
        boolean isWritten = failure instanceof OneRoofException || failure instanceof JdbiException;
        return isWritten && failure.getMessage() != null ? failure.getMessage() : failure.toString();
    }

    private void end() {
        if (!prepared) {
            return;
        }
        try {
            worker.end();
        } catch (RuntimeException e) {
            log.error("{}: did not end well", name(), e);
        }
    }

    private void leave() {
        tenure.leave(worker.leavesNoScope(), prepared);
    }

    private Duration backoff() {
        Duration doubled = FIRST_BACKOFF.multipliedBy(1L << Math.min(troubles - 1, 20));
        return doubled.compareTo(config.longestBackoff()) < 0 ? doubled : config.longestBackoff();
    }

    /** Up to a tenth more or less, so that instances that started together do not stay in step. */
    private static Duration jittered(Duration pause) {
        return Duration.ofNanos(
                (long) (pause.toNanos() * ThreadLocalRandom.current().nextDouble(0.9, 1.1)));
    }
}
