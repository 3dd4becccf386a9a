package dev.oneroof.core.tail;

/** What a batch came to. */
enum Step {
    /** There may be more of the same. */
    MORE,
    DONE,
    /** The lease belongs to somebody else now; nothing was committed. */
    LOST
}
