package dev.oneroof.core.lease;

import java.util.Locale;

/** What a worker does, as its beat says it. From this and from its age {@code fn_queue_state} tells the state. */
public enum Doing {
    WORKING,
    QUIET,
    /** It may not go on: a gate, a pause, a hold. */
    HELD,
    /** Its passes fail, and are tried again. */
    FAILING,
    /** It does not come to an end with something, past its deadline. */
    STUCK;

    String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
