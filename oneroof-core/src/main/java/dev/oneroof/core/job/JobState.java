package dev.oneroof.core.job;

import java.util.Locale;
import java.util.Set;

/** The states of a job. Final ones are in {@code job_history}, the others in {@code job_queue}. */
public enum JobState {
    /** Due later, or between two attempts. */
    SCHEDULED,
    /** Due. */
    QUEUED,
    /** Held by a worker. */
    LEASED,
    SUCCEEDED,
    /** Failed for good: there is a dead letter. */
    FAILED,
    CANCELLED;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean isAlive() {
        return !next().isEmpty();
    }

    public Set<JobState> next() {
        return switch (this) {
            case SCHEDULED -> Set.of(QUEUED, CANCELLED);
            case QUEUED -> Set.of(LEASED, CANCELLED);
            case LEASED -> Set.of(QUEUED, SCHEDULED, SUCCEEDED, FAILED, CANCELLED);
            case SUCCEEDED, FAILED, CANCELLED -> Set.of();
        };
    }
}
