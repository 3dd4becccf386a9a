package dev.oneroof.core.worker;

import java.time.Duration;

/**
 * The times of a worker's loop.
 *
 * @param leaseTime how long a scope stays with an owner that has gone quiet; longer than any one batch may take
 * @param beatInterval at most one beat in this time, so that the heartbeat table stays small under an open snapshot
 * @param gateInterval how soon an opened gate is seen
 * @param longestBackoff the longest wait after repeated failures
 * @param passDeadline for how long the lease of one pass is renewed; who takes longer is taken for stuck
 */
public record LoopConfig(
        Duration leaseTime,
        Duration beatInterval,
        Duration gateInterval,
        Duration longestBackoff,
        Duration passDeadline) {
    public static final LoopConfig DEFAULT = new LoopConfig(
            Duration.ofSeconds(15), Duration.ofSeconds(1), Duration.ofMillis(500), Duration.ofSeconds(30));

    public LoopConfig(Duration leaseTime, Duration beatInterval, Duration gateInterval, Duration longestBackoff) {
        this(leaseTime, beatInterval, gateInterval, longestBackoff, Duration.ofMinutes(2));
    }
}
