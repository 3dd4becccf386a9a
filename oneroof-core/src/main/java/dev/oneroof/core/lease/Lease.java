package dev.oneroof.core.lease;

import java.time.Duration;

/** The right to work on a scope, as long as nobody has claimed it with a higher epoch. */
public record Lease(Scope scope, String owner, Epoch epoch, Duration timeToLive) {}
