package dev.oneroof.core.tail.read;

/** What a segment still waits for. */
sealed interface Pending {
    /** A transaction that was open when the segment's bound was taken. */
    record Open(Holder holder) implements Pending {}

    /** The transaction that followed it in its session, and may bear a time from before the bound. */
    record Next(Holder holder) implements Pending {}

    /** A session that has just ended one, and may be between two. */
    record Between(String backend, long sinceNanos) implements Pending {}
}
