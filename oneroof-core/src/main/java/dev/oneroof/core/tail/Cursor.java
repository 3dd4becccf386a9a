package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.Watermark;
import org.jspecify.annotations.Nullable;

/**
 * A worker's committed position on a source, with its two hands.
 *
 * @param head the highest key that was handled
 * @param settled the watermark up to which all rows are handled
 * @param kept from here to settled all handled keys are kept
 * @param version how many commits it has had
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
        State state) {

    /** Whether a cursor may move. */
    public sealed interface State {
        record Active() implements State {}

        /** By an operator. */
        record Paused(String actor, String reason, @Nullable String until) implements State {}

        /** By the cursor itself, until an operator accepts it. */
        record Held(String state, String reason) implements State {}
    }
}
