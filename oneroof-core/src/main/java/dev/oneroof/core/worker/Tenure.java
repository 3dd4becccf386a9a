package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Beat;
import dev.oneroof.core.lease.Claim;
import dev.oneroof.core.lease.Epoch;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Renewal;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One scope as this process holds it: claimed, beaten for, renewed, given back. Each of these is a statement of its own,
 * which nobody who stands still can hold open. Claimed and given back by the loop alone; beaten for from beside as well.
 */
final class Tenure {
    private static final Logger log = LoggerFactory.getLogger(Tenure.class);
    private static final Duration STALE_AFTER = Duration.ofSeconds(30);

    private final Scope scope;
    private final String owner;
    private final Database db;
    private final LeaseStore leases;
    private final Duration leaseTime;
    private final BeatPace pace;
    private volatile @Nullable Lease lease;
    /** What the loop said last, be it told or not. */
    private @Nullable Beat current;

    /** Whether the scope was made here; before it, nobody knew of it. */
    private boolean made;

    Tenure(Scope scope, String owner, Database db, LeaseStore leases, LoopConfig config) {
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

    /** Null where somebody else has it. */
    @Nullable
    Lease claimed() {
        // Every time: the scope may have been removed with its source, and registered anew with it.
        made |= db.inStatement(tx -> leases.register(tx, scope, owner, LoopConfig.CADENCE, STALE_AFTER)) == 1;
        Claim claim = db.inStatement(tx -> leases.claim(tx, scope, owner, leaseTime));
        return switch (claim) {
            case Claim.Taken taken -> {
                log.info("{}: taken, epoch {}", name(), taken.lease().epoch().value());
                endSessionsOf(taken.before());
                lease = taken.lease();
                pace.begin(System.nanoTime());
                current = null;
                yield lease;
            }
            case Claim.Denied denied -> null;
        };
    }

    /** In a transaction of its own: who may not end them has the lease all the same, and waits. */
    private void endSessionsOf(Epoch before) {
        try {
            long ended = db.inTx(tx -> leases.endSessions(tx, before));
            if (ended > 0) {
                log.warn("{}: ended {} sessions of the owner before", name(), ended);
            }
        } catch (RuntimeException e) {
            log.warn("{}: could not end the sessions of the owner before: {}", name(), e.getMessage());
        }
    }

    /** Does nothing where it is not held. */
    void beatIfDue(Beat beat) {
        current = beat;
        Lease held = lease;
        if (held != null && beaten(held, beat) == Renewal.LOST) {
            lost();
        }
    }

    /** The same again, and not what was told last: that may be older, where there was more news than is told. */
    void beatAgainIfDue() {
        if (current != null) {
            beatIfDue(current);
        }
    }

    /** From beside, while a pass takes long. That it is lost is for the fence to find out; here nothing is committed. */
    void renewIfDue() {
        Lease held = lease;
        if (held != null) {
            // No more often than needed: of a worker whose every pass is long, every renewal is a version of its row.
            beaten(held, Beat.working("in a long pass"));
        }
    }

    private Renewal beaten(Lease held, Beat beat) {
        if (!pace.isDue(beat, System.nanoTime())) {
            return Renewal.HELD;
        }
        Renewal renewal = db.inStatement(tx -> leases.beat(tx, held, beat));
        if (renewal != Renewal.BUSY) {
            pace.told(beat, System.nanoTime());
        }
        return renewal;
    }

    /** Says that its pass does not come to an end; false where that was not written down. */
    boolean tellStuck(String reason) {
        Lease held = lease;
        return held != null && db.inStatement(tx -> leases.stuck(tx, held, reason));
    }

    /** How long until the beat that comes whatever there is to tell; not above zero when it should have come. */
    long untilBeatNanos() {
        return pace.untilSteadyNanos(System.nanoTime());
    }

    void lost() {
        log.warn("{}: the lease went to another instance", name());
        lease = null;
    }

    /** @param begun whether it was ever worked on; what was made here and never begun, of a source that is none, say, goes */
    void leave(boolean leavesNoScope, boolean begun) {
        Lease held = lease;
        if (held == null || !(leavesNoScope || (made && !begun))) {
            release();
        } else if (given(() -> db.inStatement(tx -> leases.remove(tx, held)))) {
            lease = null;
        }
    }

    void release() {
        Lease held = lease;
        if (held != null) {
            given(() -> db.inStatement(tx -> leases.release(tx, held)));
            lease = null;
        }
    }

    private boolean given(Runnable back) {
        try {
            back.run();
            return true;
        } catch (RuntimeException e) {
            log.warn("{}: could not give the lease back, it runs out by itself: {}", name(), e.getMessage());
            return false;
        }
    }

    private String name() {
        return scope.executorName();
    }
}
