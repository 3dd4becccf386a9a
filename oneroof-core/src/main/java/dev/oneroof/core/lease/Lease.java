package dev.oneroof.core.lease;

import java.time.Duration;

/** The right to work on a scope, until another claim draws a higher epoch. */
public record Lease(Scope scope, String owner, Epoch epoch, Duration timeToLive) {}
