package dev.oneroof.bench.trials;

import java.time.Duration;

/** How many rows at least, how many blows of which kind, and how long a lease lasts without a beat. */
public record ResumeConfig(long rows, int kills, int stops, Duration lease, long seed) {}
