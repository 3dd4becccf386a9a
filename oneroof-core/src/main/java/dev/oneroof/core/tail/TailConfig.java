package dev.oneroof.core.tail;

import java.time.Duration;

/**
 * How a tail behaves when all is not well.
 *
 * @param maxAttempts how often a row that fails is tried before it is a dead letter
 * @param firstRetry the pause after the first failure; it doubles with each further one
 * @param longestRetry the longest pause between two tries
 * @param overflowAt how many open dead letters of one cursor, or of one kind of jobs, are too many
 * @param keptFor how long handled keys are kept after settled has passed them, to notice rows that come too late
 * @param keptKeys how many keys are kept at most
 * @param watchInterval how often the contract, the lag and the kept keys are looked at
 * @param longestStretch past this many keys above settled, head waits for it
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
