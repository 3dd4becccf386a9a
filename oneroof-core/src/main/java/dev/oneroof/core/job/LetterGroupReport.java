package dev.oneroof.core.job;

import org.jspecify.annotations.Nullable;

/**
 * The open dead letters of a group, counted.
 *
 * @param lastLetter the latest of them, from which the sample is taken
 * @param replayRun the run that replays them; null if there is none
 */
public record LetterGroupReport(
        LetterGroup group,
        String domain,
        String errorClass,
        String sample,
        JobDeadLetterId lastLetter,
        Counts counts,
        String firstFailedAt,
        String lastFailedAt,
        @Nullable ReplayRunId replayRun) {
    public record Counts(long open, long untriaged, long investigating, long manualReplay) {}
}
