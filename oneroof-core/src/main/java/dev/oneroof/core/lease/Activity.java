package dev.oneroof.core.lease;

import java.util.Locale;

/** What a worker does, as its beat reports it. {@code fn_queue_state} derives the state from this and from the beat's age. */
public enum Activity {
    WORKING,
    QUIET,
    /** It must not continue: a gate, a pause, a hold. */
    HELD,
    /** Its passes fail and are retried. */
    FAILING,
    /** Something in it is past its deadline and does not end. */
    STUCK;

    String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
