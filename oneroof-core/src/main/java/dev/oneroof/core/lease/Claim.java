package dev.oneroof.core.lease;

/** What came of asking for a scope. */
public sealed interface Claim {
    record Taken(Lease lease) implements Claim {}

    /** Somebody else has it, or is being asked for it at this very moment. */
    record Denied() implements Claim {}
}
