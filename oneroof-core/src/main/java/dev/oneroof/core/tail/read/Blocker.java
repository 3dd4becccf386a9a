package dev.oneroof.core.tail.read;

/** A transaction or session that a segment still waits for. */
sealed interface Blocker {
    /** A transaction that was open when the segment's bound was taken. */
    record Open(Holder holder) implements Blocker {}

    /** The transaction that followed it in its session, which may have a time from before the bound. */
    record Next(Holder holder) implements Blocker {}

    /** A session that has just ended a transaction, and may be between two of one message. */
    record Between(String backend, long sinceNanos) implements Blocker {}
}
