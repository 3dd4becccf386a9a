package dev.oneroof.core.job;

import org.jspecify.annotations.Nullable;

/** A job that was given up; what has not happened to it is null. */
public record JobDeadLetter(
        JobDeadLetterId id,
        JobId job,
        LetterGroup group,
        String domain,
        Failure failure,
        Origin origin,
        Decision decision) {
    /** What it met. */
    public record Failure(int attempts, int maxAttempts, String errorClass, String error, String at) {}

    /** What it was enqueued with. */
    public record Origin(
            String enqueuedAt,
            int priority,
            @Nullable String key,
            @Nullable String run,
            String payload) {}

    /** What somebody has said of it, and what became of that. */
    public record Decision(
            Triage triage,
            @Nullable String by,
            @Nullable String at,
            @Nullable String note,
            @Nullable String resolvedAt,
            @Nullable JobId replayedAs,
            @Nullable String authorization,
            @Nullable ReplayRunId replayRun) {}
}
