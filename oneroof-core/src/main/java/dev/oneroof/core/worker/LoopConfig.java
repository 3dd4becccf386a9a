package dev.oneroof.core.worker;

import java.time.Duration;

/**
 * The times of a worker's loop.
 *
 * @param leaseTime how long a scope stays with an owner that has gone quiet; longer than any one batch may take
 * @param beatInterval at most one beat in this time
 * @param gateInterval how soon an opened gate is seen
 * @param longestBackoff the longest wait after repeated failures
 * @param passDeadline for how long the lease of one pass is renewed; who takes longer is taken for stuck
 * @param wakeUps how the one that listens looks after itself
 */
public record LoopConfig(
        Duration leaseTime,
        Duration beatInterval,
        Duration gateInterval,
        Duration longestBackoff,
        Duration passDeadline,
        WakeUps.Pace wakeUps) {
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
        this(leaseTime, beatInterval, gateInterval, longestBackoff, passDeadline, WakeUps.Pace.DEFAULT);
    }

    /**
     * How often one beats of whom there is no news. Every beat is a version of its row that an open snapshot keeps, and a
     * look at the row steps over all of them; so no more often than the lease and the watchers need.
     */
    Duration steadyBeat() {
        Duration often = leaseTime.dividedBy(4);
        Duration seldom = often.compareTo(CADENCE) < 0 ? often : CADENCE;
        return seldom.compareTo(beatInterval) < 0 ? beatInterval : seldom;
    }

    public LoopConfig withWakeUps(WakeUps.Pace pace) {
        return new LoopConfig(leaseTime, beatInterval, gateInterval, longestBackoff, passDeadline, pace);
    }
}
