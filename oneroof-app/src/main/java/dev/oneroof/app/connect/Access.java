package dev.oneroof.app.connect;

/** What a command wants of the embedded server. An external one is simply connected to. */
public enum Access {
    /** To run it: no other process may use the home. */
    OWN,
    /** To use it: through the process that runs it, or by running it for a moment. */
    SHARE,
    /** As {@link #SHARE}, but only if there is one already. */
    LOOK
}
