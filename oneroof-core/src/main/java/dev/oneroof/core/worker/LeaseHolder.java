package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Beat;
import dev.oneroof.core.lease.Claim;
import dev.oneroof.core.lease.Epoch;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseBeat;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Renewal;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of one scope as this process holds it. The loop claims it, reports beats and releases it. The first beat of a
 * lease is written at once; later ones are handed to the instance's thread, which writes those of all scopes in one
 * statement. A beat is handed over only by the loop itself, so that a loop that stopped running is found silent.
 */
final class LeaseHolder {
    private static final Logger log = LoggerFactory.getLogger(LeaseHolder.class);
    private static final Duration STALE_AFTER = Duration.ofSeconds(30);

    private final Scope scope;
    private final String owner;
    private final Database db;
    private final LeaseStore leases;
    private final Observer observer;
    private final Duration leaseTime;
    private final BeatPace pace;
    private volatile @Nullable Lease lease;
    /** The last beat that the loop reported, sent or not. Used by the loop's thread only. */
    private @Nullable Beat current;
    /** Due, and not yet taken by the instance's thread. */
    private @Nullable LeaseBeat handedOver;
    /** Whether this process registered the scope. */
    private boolean registered;

    LeaseHolder(Scope scope, String owner, Database db, LeaseStore leases, LoopConfig config, Observer observer) {
        this.observer = observer;
        this.scope = scope;
        this.owner = owner;
        this.db = db;
        this.leases = leases;
        this.leaseTime = config.leaseTime();
        this.pace = new BeatPace(config, System.nanoTime());
    }

    boolean holds() {
        return lease != null;
    }

    @Nullable
    Lease lease() {
        return lease;
    }

    /** Null where another instance holds it. */
    @Nullable
    Lease claim() {
        // Every time: the scope may have been removed with its source, and registered again with it.
        registered |= db.inStatement(tx -> leases.register(tx, scope, owner, LoopConfig.CADENCE, STALE_AFTER)) == 1;
        Claim claim = db.inStatement(tx -> leases.claim(tx, scope, owner, leaseTime));
        return switch (claim) {
            case Claim.Taken taken -> {
                log.info("{}: claimed, epoch {}", scope, taken.lease().epoch().value());
                observer.claimed(scope.worker(), scope.source(), taken.takenOver());
                endSessionsOf(taken.before());
                current = null;
                pace.reset(System.nanoTime());
                setLease(taken.lease());
                yield taken.lease();
            }
            case Claim.Denied denied -> null;
        };
    }

    /** In a transaction of its own: without the right to end them the lease is still ours, and its first batch waits. */
    private void endSessionsOf(Epoch before) {
        try {
            long ended = db.inTx(tx -> leases.endSessions(tx, before));
            if (ended > 0) {
                log.warn("{}: ended {} sessions of the previous owner", scope, ended);
            }
        } catch (RuntimeException e) {
            log.warn("{}: could not end the sessions of the previous owner: {}", scope, e.getMessage());
        }
    }

    /**
     * Sends the beat if it is due; does nothing without a lease.
     *
     * @return whether it was sent or handed over
     */
    boolean beatIfDue(Beat beat) {
        current = beat;
        Lease held = lease;
        long now = System.nanoTime();
        if (held == null || !pace.isDue(beat, now)) {
            return false;
        }
        if (pace.isFirst() || pace.isOverdue(now)) {
            // Overdue: the instance's thread is stopped or slow, and the lease must not run out for that.
            Renewal renewal = db.inStatement(tx -> leases.beat(tx, held, beat));
            sent(new LeaseBeat(held, beat), renewal);
            return renewal == Renewal.HELD;
        }
        return handOver(new LeaseBeat(held, beat));
    }

    /** A beat that still waits is replaced by one that says something else, not by one that only counts less work. */
    private synchronized boolean handOver(LeaseBeat due) {
        boolean replaces = handedOver == null
                || !handedOver.lease().equals(due.lease())
                || due.beat().isNewsAfter(handedOver.beat());
        if (replaces) {
            handedOver = due;
        }
        return replaces;
    }

    /** The loop's last beat again. Not the last one sent: that may be older, as not every change is sent. */
    void beatAgainIfDue() {
        if (current != null) {
            beatIfDue(current);
        }
    }

    /** For the instance's thread: the beat that the loop has handed over, once; null where there is none. */
    synchronized @Nullable LeaseBeat takeDueBeat() {
        LeaseBeat due = handedOver;
        handedOver = null;
        return due;
    }

    /** For the instance's thread: the renewal of a long pass; null where none is due. */
    @Nullable
    LeaseBeat dueInLongPass(Duration running) {
        Lease held = lease;
        Beat beat = Beat.working("pass running for %d s".formatted(running.toSeconds()));
        // No more often than needed: every renewal is a new version of the row.
        return held != null && pace.isDue(beat, System.nanoTime()) ? new LeaseBeat(held, beat) : null;
    }

    /** What became of a beat. */
    void sent(LeaseBeat due, Renewal renewal) {
        switch (renewal) {
            case HELD -> {
                // Not for an earlier lease: the first beat of the current one is still due.
                if (due.lease().equals(lease)) {
                    pace.sent(due.beat(), System.nanoTime());
                }
            }
            // Still due: the next turn sends it again.
            case BUSY -> {}
            case LOST -> lost(due.lease());
        }
    }

    /** Records that the current pass does not end; false where that could not be written. */
    boolean reportStuck(String reason) {
        Lease held = lease;
        return held != null && db.inStatement(tx -> leases.stuck(tx, held, reason));
    }

    /** Until the beat that is due even without a change; zero or less when it is overdue. */
    long untilBeatNanos() {
        return pace.untilSteadyNanos(System.nanoTime());
    }

    /** Another instance has claimed the scope. Does nothing where a newer lease is held. */
    synchronized void lost(Lease which) {
        if (which.equals(lease)) {
            log.warn("{}: lease lost, epoch {}", scope, which.epoch().value());
            lease = null;
            handedOver = null;
        }
    }

    private synchronized void setLease(@Nullable Lease next) {
        lease = next;
        handedOver = null;
    }

    /**
     * Releases the scope for good.
     *
     * @param prepared whether the worker ever got as far as a pass; a scope that was registered here and never was, such as
     *     one of an unknown source, is removed
     */
    void end(boolean removesScope, boolean prepared) {
        Lease held = lease;
        if (held == null || !(removesScope || (registered && !prepared))) {
            release();
        } else if (tryRelease(() -> db.inStatement(tx -> leases.remove(tx, held)))) {
            setLease(null);
        }
    }

    void release() {
        Lease held = lease;
        if (held != null) {
            tryRelease(() -> db.inStatement(tx -> leases.release(tx, held)));
            setLease(null);
        }
    }

    private boolean tryRelease(Runnable release) {
        try {
            release.run();
            return true;
        } catch (RuntimeException e) {
            log.warn(
                    "{}: could not release the lease; it expires in {} s: {}",
                    scope,
                    leaseTime.toSeconds(),
                    e.getMessage());
            return false;
        }
    }
}
