package dev.oneroof.bench.trials;

import java.time.Duration;

/** How many jobs over how many processes, how many blows of which kind, and how long a lease lasts, in whole seconds. */
public record ReapConfig(int jobs, int processes, int kills, int stops, Duration lease, long seed) {}
