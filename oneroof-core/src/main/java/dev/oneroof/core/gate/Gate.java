package dev.oneroof.core.gate;

import org.jspecify.annotations.Nullable;

/**
 * A gate as it stands.
 *
 * @param open whether it lets through now: plainly open, and not expired
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
