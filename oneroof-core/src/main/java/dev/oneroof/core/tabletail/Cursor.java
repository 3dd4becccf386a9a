package dev.oneroof.core.tabletail;

import dev.oneroof.core.lease.Scope;
import org.jspecify.annotations.Nullable;

/**
 * A worker's committed position on a source, with its two hands.
 *
 * @param head the highest key that was handled
 * @param settled the watermark below which everything is handled
 */
public record Cursor(
        Scope scope,
        @Nullable Watermark head,
        @Nullable Watermark settled,
        long eventsSeen,
        long attemptsWritten,
        String phase) {}
