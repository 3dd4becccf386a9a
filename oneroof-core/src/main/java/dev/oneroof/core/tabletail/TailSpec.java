package dev.oneroof.core.tabletail;

import dev.oneroof.core.lease.Scope;
import org.jspecify.annotations.Nullable;

/**
 * A tail worker as its author writes it down: what it reads, which gate stops it, and what it does with the rows.
 *
 * @param phase the phase a new cursor starts in
 * @param gate the gate that must be open; null where there is none
 */
public record TailSpec(
        Scope scope, String domain, String phase, @Nullable String gate, BatchEffect effect) {
    /** A worker of one's own, without a gate. */
    public static TailSpec of(String worker, String source, BatchEffect effect) {
        return new TailSpec(Scope.of(worker, source), "governance", "incremental", null, effect);
    }
}
