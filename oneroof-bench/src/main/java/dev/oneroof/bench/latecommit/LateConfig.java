package dev.oneroof.bench.latecommit;

import java.time.Duration;

/** How long, with how many writers, and from which seed. */
public record LateConfig(Duration length, int writers, long seed) {}
