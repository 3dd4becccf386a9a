package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.Watermark;
import org.jspecify.annotations.Nullable;

/**
 * A worker's committed position on a source, with its two hands.
 *
 * @param head the highest key that was handled
 * @param settled the watermark below which everything is handled
 * @param kept from here to settled all handled keys are kept
 * @param version how often it was committed to
 */
public record Cursor(
        Scope scope,
        @Nullable Watermark head,
        @Nullable Watermark settled,
        @Nullable Watermark kept,
        long eventsSeen,
        long attemptsWritten,
        long deadLettered,
        String phase,
        long version,
        Standing standing) {

    /** Whether a cursor may move. */
    public sealed interface Standing {
        record Free() implements Standing {}

        /** By an operator. */
        record Paused(String actor, String reason, @Nullable String until) implements Standing {}

        /** By the cursor itself, until an operator has looked. */
        record Held(String state, String reason) implements Standing {}
    }
}
