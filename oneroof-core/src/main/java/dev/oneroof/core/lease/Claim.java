package dev.oneroof.core.lease;

/** What came of asking for a scope. */
public sealed interface Claim {
    /** It is ours; the sessions of the epoch before may still be about. */
    record Taken(Lease lease, Epoch before) implements Claim {}

    /** Somebody else has it, or is being asked for it at this very moment. */
    record Denied() implements Claim {}
}
