package dev.oneroof.core.job;

import org.jspecify.annotations.Nullable;

/** A job that failed for good; what does not apply is null. */
public record JobDeadLetter(
        JobDeadLetterId id,
        JobId job,
        LetterGroup group,
        String domain,
        Failure failure,
        Origin origin,
        Decision decision) {
    /** The last failure. */
    public record Failure(int attempts, int maxAttempts, String errorClass, String error, String at) {}

    /** How it was enqueued. */
    public record Origin(
            String enqueuedAt,
            int priority,
            @Nullable String key,
            @Nullable String run,
            String payload) {}

    /** The triage by an operator, and its result. */
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
