package dev.oneroof.core.worker;

import org.jspecify.annotations.Nullable;

/**
 * An operator's pause of a scope.
 *
 * @param until when it ends by itself; null where it lasts until it is resumed
 */
public record Pause(String actor, String reason, @Nullable String until) {
    /** As a beat reports it. */
    public String text() {
        return "paused by %s%s: %s".formatted(actor, until == null ? "" : " until " + until, reason);
    }
}
