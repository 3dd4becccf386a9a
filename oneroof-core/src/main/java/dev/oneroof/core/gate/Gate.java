package dev.oneroof.core.gate;

import org.jspecify.annotations.Nullable;

/**
 * A gate and its last change.
 *
 * @param open whether it is open now: opened, and not expired
 * @param expiresAt when it closes by itself; null where it does not
 */
public record Gate(
        String key,
        boolean open,
        String effect,
        String actor,
        String reason,
        @Nullable String expiresAt,
        String changedAt) {}
