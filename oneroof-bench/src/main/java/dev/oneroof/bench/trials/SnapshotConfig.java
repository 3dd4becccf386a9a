package dev.oneroof.bench.trials;

import java.time.Duration;

/** How long it is measured before, how long the snapshot stays open, and how often a burst of rows comes. */
public record SnapshotConfig(Duration before, Duration held, Duration burstEvery, int burstRows) {}
