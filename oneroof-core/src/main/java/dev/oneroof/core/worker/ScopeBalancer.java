package dev.oneroof.core.worker;

import dev.oneroof.core.lease.LeaseBeat;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Renewal;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The instance's own thread: writes the beats of the instance and of its scopes, reads drain and load, and spreads scopes over
 * the running instances. Instances do not all run the same workers, so scopes are balanced one by one. An instance that holds
 * at least two more than another hands over one scope that the other runs, one per turn; then neither has a reason to hand
 * it back. Leases still separate two owners: a wrong decision costs a moment, never a row.
 */
final class ScopeBalancer implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(ScopeBalancer.class);

    private final String owner;
    private final Database db;
    private final LeaseStore leases;
    private final LoopConfig config;
    private final List<WorkerLoop> loops;
    private final InstanceStore instances = new InstanceStore();
    private final Waiting waiting = new Waiting();
    private final LoadGuard guard = new LoadGuard();
    private final Supplier<ListenState> listening;
    private volatile List<InstanceStore.Other> others = List.of();
    private volatile boolean draining;
    private volatile Load load = new Load.Normal();
    private @Nullable Reported reported;
    private long reportedNanos;

    /** What the last beat of the instance reported. */
    private record Reported(List<String> scopes, long holds, ListenState listening, boolean draining) {}

    /** A beat with the loop that it belongs to. */
    private record Due(WorkerLoop loop, LeaseBeat beat) {}

    /**
     * @param loops may change while this runs
     * @param listening whether wake-ups are received
     */
    ScopeBalancer(
            String owner,
            Database db,
            LeaseStore leases,
            LoopConfig config,
            List<WorkerLoop> loops,
            Supplier<ListenState> listening) {
        this.owner = owner;
        this.db = db;
        this.leases = leases;
        this.config = config;
        this.loops = loops;
        this.listening = listening;
    }

    /** Whether another instance runs this worker and holds fewer scopes: then the scope is left to it for a while. */
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

    /** Whether an operator drains this instance, so that it must hold no scope. */
    boolean isDraining() {
        return draining;
    }

    /** The load of the server at the last turn. */
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
                turn();
            } catch (RuntimeException | Error e) {
                // An Error, too: an instance without beats is found dead while its workers run.
                log.warn("{}: the instance's beat failed: {}", owner, e.getMessage());
            }
        } while (waiting.pause(config.beatInterval()));
        deregister();
    }

    private void turn() {
        renewLeases();
        List<String> scopes = loops.stream()
                .filter(WorkerLoop::wantsScope)
                .map(WorkerLoop::name)
                .toList();
        long here = held();
        Reported now = new Reported(scopes, here, listening.get(), draining);
        boolean isDue = !now.equals(reported)
                || System.nanoTime() - reportedNanos >= config.steadyBeat().toNanos();
        if (isDue) {
            setDraining(db.inStatement(tx ->
                    instances.beat(tx, owner, scopes, here, now.listening(), reported == null, config.leaseTime())));
            reported = now;
            reportedNanos = System.nanoTime();
        } else {
            setDraining(db.inTx(tx -> instances.drain(tx, owner)));
        }
        readLoad();
        // For all our scopes: one whose worker only fails here is released only if another instance would take it.
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

    /** All due beats in one statement. Where it fails, each is sent alone, so that one bad row costs no other its lease. */
    private void renewLeases() {
        List<Due> due = new ArrayList<>();
        loops.forEach(loop -> dueBeat(loop).ifPresent(beat -> due.add(new Due(loop, beat))));
        if (due.isEmpty()) {
            return;
        }
        try {
            renew(due);
        } catch (RuntimeException e) {
            if (SqlState.isTransient(e) || due.size() == 1) {
                log.warn("{}: could not renew {} leases; retrying: {}", owner, due.size(), e.getMessage());
                return;
            }
            log.warn("{}: could not renew {} leases together; renewing each: {}", owner, due.size(), e.getMessage());
            due.forEach(this::renewAlone);
        }
    }

    private Optional<LeaseBeat> dueBeat(WorkerLoop loop) {
        try {
            return Optional.ofNullable(loop.dueBeat());
        } catch (RuntimeException | Error e) {
            // It may write that the pass is stuck, and must not cost the others their leases.
            log.warn("{}: could not report a stuck pass: {}", loop.name(), e.getMessage());
            return Optional.empty();
        }
    }

    private void renewAlone(Due one) {
        try {
            renew(List.of(one));
        } catch (RuntimeException e) {
            log.warn("{}: could not renew the lease; retrying: {}", one.loop().name(), e.getMessage());
        }
    }

    private void renew(List<Due> due) {
        List<LeaseBeat> beats = due.stream().map(Due::beat).toList();
        List<Renewal> renewals = db.inStatement(tx -> leases.beatAll(tx, beats));
        for (int n = 0; n < due.size(); n++) {
            due.get(n).loop().beatSent(due.get(n).beat(), renewals.get(n));
        }
    }

    private void setDraining(Optional<String> reason) {
        if (reason.isPresent() != draining) {
            draining = reason.isPresent();
            log.info("{}: {}", owner, reason.map("draining: "::concat).orElse("no longer draining"));
        }
    }

    private void readLoad() {
        Load now = db.inTx(guard::read);
        if (!now.equals(load) && !(now instanceof Load.Normal)) {
            log.warn("{}: {}", owner, now);
        }
        load = now;
    }

    private void deregister() {
        try {
            db.inStatement(tx -> instances.remove(tx, owner));
        } catch (RuntimeException e) {
            log.debug(
                    "{}: could not deregister the instance; its row expires in {} s",
                    owner,
                    config.leaseTime().toSeconds(),
                    e);
        }
    }
}
