package dev.oneroof.core.tail;

/** The outcome of a batch. */
enum BatchOutcome {
    /** There may be more rows. */
    MORE,
    DONE,
    /** The lease has another owner; nothing was committed. */
    LOST
}
