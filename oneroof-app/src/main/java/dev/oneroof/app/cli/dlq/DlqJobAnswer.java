package dev.oneroof.app.cli.dlq;

import dev.oneroof.core.job.JobDeadLetter;
import org.jspecify.annotations.Nullable;

/** A job's dead letter as the command shows it. */
record DlqJobAnswer(
        String id,
        String jobId,
        String kind,
        String domain,
        String fingerprint,
        int attempts,
        int maxAttempts,
        String errorClass,
        String error,
        String failedAt,
        String enqueuedAt,
        int priority,
        @Nullable String key,
        @Nullable String run,
        String payload,
        String triage,
        @Nullable String triagedBy,
        @Nullable String triagedAt,
        @Nullable String note,
        @Nullable String resolvedAt,
        @Nullable String replayedAs,
        @Nullable String authorization,
        @Nullable String replayRun) {
    static DlqJobAnswer of(JobDeadLetter letter) {
        JobDeadLetter.Failure failure = letter.failure();
        JobDeadLetter.Origin origin = letter.origin();
        JobDeadLetter.Decision decision = letter.decision();
        return new DlqJobAnswer(
                letter.id().toString(),
                letter.job().toString(),
                letter.group().kind(),
                letter.domain(),
                letter.group().fingerprint(),
                failure.attempts(),
                failure.maxAttempts(),
                failure.errorClass(),
                failure.error(),
                failure.at(),
                origin.enqueuedAt(),
                origin.priority(),
                origin.key(),
                origin.run(),
                origin.payload(),
                decision.triage().sql(),
                decision.by(),
                decision.at(),
                decision.note(),
                decision.resolvedAt(),
                text(decision.replayedAs()),
                decision.authorization(),
                text(decision.replayRun()));
    }

    private static @Nullable String text(@Nullable Object id) {
        return id == null ? null : id.toString();
    }
}
