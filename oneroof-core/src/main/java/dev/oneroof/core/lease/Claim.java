package dev.oneroof.core.lease;

/** The result of a claim. */
public sealed interface Claim {
    /** The scope is ours; sessions of the previous epoch may still be open. */
    record Taken(Lease lease, Epoch before, boolean takenOver) implements Claim {}

    /** Another instance holds the scope, or its row is locked. */
    record Denied() implements Claim {}
}
