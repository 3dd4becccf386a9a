package dev.oneroof.core.tail;

import java.time.Duration;

/**
 * Limits and intervals of a tail.
 *
 * @param maxAttempts after how many failures a row becomes a dead letter
 * @param firstRetry the pause after the first failure; it doubles with each further one
 * @param longestRetry the longest pause between two attempts
 * @param overflowAt above this many open dead letters of one cursor, or of one job kind, a finding is raised
 * @param keptFor how long handled keys are kept after settled has passed them, to detect late rows
 * @param keptKeys the highest number of kept keys
 * @param watchInterval how often the contract, the lag and the kept keys are checked
 * @param longestStretch above this many keys in the stretch, head waits for settled
 */
public record TailConfig(
        int maxAttempts,
        Duration firstRetry,
        Duration longestRetry,
        long overflowAt,
        Duration keptFor,
        long keptKeys,
        Duration watchInterval,
        long longestStretch) {
    public static final TailConfig DEFAULT = new TailConfig(
            5,
            Duration.ofSeconds(1),
            Duration.ofMinutes(10),
            100,
            Duration.ofMinutes(10),
            50_000,
            Duration.ofSeconds(5),
            1_000_000);
}
