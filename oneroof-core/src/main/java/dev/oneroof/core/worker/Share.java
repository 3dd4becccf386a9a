package dev.oneroof.core.worker;

import dev.oneroof.postgres.Database;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spreads scopes over the running instances. Not all of them would take the same: so it goes scope by scope. Who holds
 * at least two more than another gives it one that the other would take, one at a time; with that neither has a reason
 * to give it back. Leases stay what keeps two owners apart: a share that was judged wrongly costs a moment, never a row.
 *
 * <p>The same beat renews the leases of passes that take long, up to their deadline.
 */
final class Share implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Share.class);

    private final String owner;
    private final Database db;
    private final LoopConfig config;
    private final List<WorkerLoop> loops;
    private final InstanceStore instances = new InstanceStore();
    private final Waiting waiting = new Waiting();
    private final LoadGuard guard = new LoadGuard();
    private final Supplier<Ear> ear;
    private volatile List<InstanceStore.Other> others = List.of();
    private volatile boolean draining;
    private volatile Load load = new Load.Easy();
    private @Nullable Said said;
    private long saidNanos;

    /** What the last beat of the instance said. */
    private record Said(List<String> scopes, long holds, Ear ear, boolean draining) {}

    /**
     * @param loops may grow while this runs
     * @param ear how well wake-ups are heard
     */
    Share(String owner, Database db, LoopConfig config, List<WorkerLoop> loops, Supplier<Ear> ear) {
        this.ear = ear;
        this.owner = owner;
        this.db = db;
        this.config = config;
        this.loops = loops;
    }

    /** Whether another instance would take this scope and holds fewer: then it is left to that one for a while. */
    boolean isOthersTurn(String scope) {
        long here = held();
        return others.stream()
                .anyMatch(other -> other.held() < here && other.wanted().contains(scope));
    }

    /** Whether another instance would take this scope at all. */
    boolean isWantedElsewhere(String scope) {
        return others.stream().anyMatch(other -> other.wanted().contains(scope));
    }

    private long held() {
        return loops.stream().filter(loop -> loop.holds() && !loop.isStuck()).count();
    }

    /** Whether this instance is to hold nothing, since an operator wants it to end. */
    boolean isDraining() {
        return draining;
    }

    /** What the server has to bear, as it was a moment ago. */
    Load load() {
        return load;
    }

    void stop() {
        waiting.stop();
    }

    @Override
    public void run() {
        do {
            try {
                look();
            } catch (RuntimeException | Error e) {
                // An Error, too: an instance whose beats end is found dead, and its workers live.
                log.warn("{}: no beat of the instance: {}", owner, e.getMessage());
            }
        } while (waiting.pause(config.beatInterval()));
        leave();
    }

    private void look() {
        loops.forEach(this::renew);
        List<String> scopes =
                loops.stream().filter(WorkerLoop::wants).map(WorkerLoop::name).toList();
        long here = held();
        Said now = new Said(scopes, here, ear.get(), draining);
        boolean isDue = !now.equals(said)
                || System.nanoTime() - saidNanos >= config.steadyBeat().toNanos();
        if (isDue) {
            drain(db.inStatement(
                    tx -> instances.beat(tx, owner, scopes, here, now.ear(), said == null, config.leaseTime())));
            said = now;
            saidNanos = System.nanoTime();
        } else {
            drain(db.inTx(tx -> instances.drain(tx, owner)));
        }
        lookAtLoad();
        // Of all of ours: one that only fails here is given up just if somebody else would take it.
        List<String> ours = loops.stream().map(WorkerLoop::name).toList();
        others = db.inTx(tx -> instances.others(tx, owner, ours, config.leaseTime()));
        loops.stream()
                .filter(WorkerLoop::canHandOver)
                .filter(loop -> others.stream()
                        .anyMatch(other ->
                                here - other.held() >= 2 && other.wanted().contains(loop.name())))
                .findFirst()
                .ifPresent(WorkerLoop::handOver);
    }

    private void drain(Optional<String> reason) {
        if (reason.isPresent() != draining) {
            draining = reason.isPresent();
            log.info("{}: {}", owner, reason.map("drains: "::concat).orElse("takes part again"));
        }
    }

    private void lookAtLoad() {
        Load now = db.inTx(guard::look);
        if (!now.equals(load) && !(now instanceof Load.Easy)) {
            log.warn("{}: {}", owner, now);
        }
        load = now;
    }

    private void renew(WorkerLoop loop) {
        try {
            loop.renewIfLong();
        } catch (RuntimeException | Error e) {
            // One that cannot be renewed must not cost the others theirs.
            log.warn("{}: a long pass was not renewed: {}", loop.name(), e.getMessage());
        }
    }

    private void leave() {
        try {
            db.inStatement(tx -> instances.leave(tx, owner));
        } catch (RuntimeException e) {
            log.debug("{}: could not take leave; the row runs out by itself", owner, e);
        }
    }
}
