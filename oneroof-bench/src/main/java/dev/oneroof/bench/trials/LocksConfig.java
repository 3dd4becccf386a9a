package dev.oneroof.bench.trials;

import java.time.Duration;

/** How long, and from which seed. */
public record LocksConfig(Duration length, long seed) {}
