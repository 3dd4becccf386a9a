package dev.oneroof.core.tail.read;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Database;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Looks at the open transactions for all tails of a process. Who asks gets a look that began after the asking: a bound was
 * taken before, and the order of the two is the whole point. Tails that ask while a look is under way share the next one.
 */
public final class HolderSampler {
    private record Look(Set<Holder> open, Map<Scope, Set<Holder>> skipped) {}

    private final Database db;
    private final BoundStore bounds;

    // All under the monitor.
    private long asked;
    private long answered;
    private boolean looking;
    private Look last = new Look(Set.of(), Map.of());

    public HolderSampler(Database db) {
        this.db = db;
        this.bounds = new BoundStore();
    }

    /** The transactions that are open now, but for those that an operator has chosen not to wait for. */
    public Set<Holder> openFor(Scope scope) {
        Look look = look();
        Set<Holder> skipped = look.skipped().getOrDefault(scope, Set.of());
        return skipped.isEmpty()
                ? look.open()
                : look.open().stream()
                        .filter(holder -> !skipped.contains(holder))
                        .collect(Collectors.toSet());
    }

    private Look look() {
        long covers;
        synchronized (this) {
            long ticket = ++asked;
            try {
                while (looking && answered < ticket) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for a look at the open transactions", e);
            }
            if (answered >= ticket) {
                return last;
            }
            looking = true;
            // Whoever has asked by now is served by the look that begins now.
            covers = asked;
        }
        try {
            Look look = db.inTx(tx -> new Look(bounds.holders(tx), bounds.skipped(tx)));
            synchronized (this) {
                answered = covers;
                last = look;
                return look;
            }
        } finally {
            synchronized (this) {
                looking = false;
                notifyAll();
            }
        }
    }
}
