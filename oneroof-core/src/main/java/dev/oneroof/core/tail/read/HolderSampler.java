package dev.oneroof.core.tail.read;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Database;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Samples the open transactions for all tails of a process. Each caller gets a sample that started after its call: it
 * took a bound before, and the barrier depends on that order. Callers that arrive while a sample is under way share the
 * next one.
 */
public final class HolderSampler {
    private record Sample(Set<Holder> open, Map<Scope, Set<Holder>> skipped) {}

    private final Database db;
    private final BoundStore bounds;

    // Guarded by this.
    private long asked;
    private long answered;
    private boolean sampling;
    private Sample last = new Sample(Set.of(), Map.of());

    public HolderSampler(Database db) {
        this.db = db;
        this.bounds = new BoundStore();
    }

    /** The transactions that are open now, without those that an operator has skipped. */
    public Set<Holder> openFor(Scope scope) {
        Sample sample = sample();
        Set<Holder> skipped = sample.skipped().getOrDefault(scope, Set.of());
        return skipped.isEmpty()
                ? sample.open()
                : sample.open().stream()
                        .filter(holder -> !skipped.contains(holder))
                        .collect(Collectors.toSet());
    }

    private Sample sample() {
        long covers;
        synchronized (this) {
            long ticket = ++asked;
            try {
                while (sampling && answered < ticket) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for a sample of the open transactions", e);
            }
            if (answered >= ticket) {
                return last;
            }
            sampling = true;
            // The sample that starts now serves every call made so far.
            covers = asked;
        }
        try {
            Sample sample = db.inTx(tx -> new Sample(bounds.holders(tx), bounds.skipped(tx)));
            synchronized (this) {
                answered = covers;
                last = sample;
                return sample;
            }
        } finally {
            synchronized (this) {
                sampling = false;
                notifyAll();
            }
        }
    }
}
