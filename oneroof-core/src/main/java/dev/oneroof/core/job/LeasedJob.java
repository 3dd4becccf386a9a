package dev.oneroof.core.job;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job in somebody's hands.
 *
 * @param token whoever changes the job shows it
 * @param orderAt its place in the order of its kind, as the database writes it
 * @param leasedNanos this process's clock when the lease was asked for: the lease is over no earlier than its time after it
 * @param leaseNanos for how long it was leased, as its kind was registered then
 */
public record LeasedJob(
        JobId id,
        String kind,
        String payload,
        int attempt,
        int maxAttempts,
        UUID token,
        String orderAt,
        @Nullable String key,
        @Nullable UUID run,
        long leasedNanos,
        long leaseNanos) {
    /** This lease of this job; the job may be leased again, also by the same process. */
    public record Key(JobId id, UUID token) {}

    public boolean isLastAttempt() {
        return attempt >= maxAttempts;
    }

    /** By this process's own clock, from before the lease was asked for. */
    public boolean isOver() {
        return hasUsed(1);
    }

    /** Whether a third, say, of its lease has passed since it was given. */
    public boolean hasUsed(double share) {
        return System.nanoTime() - leasedNanos > leaseNanos * share;
    }

    public Key lease() {
        return new Key(id, token);
    }
}
