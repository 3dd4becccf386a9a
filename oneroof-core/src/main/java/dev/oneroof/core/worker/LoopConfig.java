package dev.oneroof.core.worker;

import java.time.Duration;

/**
 * The times of a worker's loop.
 *
 * @param leaseTime how long a scope stays with an owner that stopped beating; longer than any one batch may take
 * @param beatInterval at most one beat in this time; also the interval of the instance's own thread
 * @param gateInterval how soon a changed gate or pause takes effect
 * @param longestBackoff the longest wait after repeated failures
 * @param passDeadline for how long the lease of one pass is renewed; a longer pass is stuck
 * @param selfTest how the connection for wake-ups is tested
 */
public record LoopConfig(
        Duration leaseTime,
        Duration beatInterval,
        Duration gateInterval,
        Duration longestBackoff,
        Duration passDeadline,
        WakeUpListener.SelfTest selfTest) {
    /** How often a worker is expected to beat. */
    static final Duration CADENCE = Duration.ofSeconds(5);

    public static final LoopConfig DEFAULT = new LoopConfig(
            Duration.ofSeconds(15), Duration.ofSeconds(1), Duration.ofMillis(500), Duration.ofSeconds(30));

    public LoopConfig(Duration leaseTime, Duration beatInterval, Duration gateInterval, Duration longestBackoff) {
        this(leaseTime, beatInterval, gateInterval, longestBackoff, Duration.ofMinutes(2));
    }

    public LoopConfig(
            Duration leaseTime,
            Duration beatInterval,
            Duration gateInterval,
            Duration longestBackoff,
            Duration passDeadline) {
        this(leaseTime, beatInterval, gateInterval, longestBackoff, passDeadline, WakeUpListener.SelfTest.DEFAULT);
    }

    /**
     * How often a worker beats whose state does not change. Every beat is a new version of its row, which an open snapshot keeps
     * and every read of the row steps over; so no more often than the lease and the thresholds need.
     */
    Duration steadyBeat() {
        Duration quarter = leaseTime.dividedBy(4);
        Duration steady = quarter.compareTo(CADENCE) < 0 ? quarter : CADENCE;
        return steady.compareTo(beatInterval) < 0 ? beatInterval : steady;
    }

    public LoopConfig withSelfTest(WakeUpListener.SelfTest test) {
        return new LoopConfig(leaseTime, beatInterval, gateInterval, longestBackoff, passDeadline, test);
    }
}
