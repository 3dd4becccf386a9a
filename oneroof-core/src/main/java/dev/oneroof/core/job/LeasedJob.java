package dev.oneroof.core.job;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A leased job.
 *
 * @param token required for every change of the job
 * @param orderAt its position in the order of its kind, as the database prints it
 * @param leasedNanos this process's clock before the lease was requested: the lease expires no earlier than {@code leaseNanos}
 *     after it
 * @param leaseNanos the lease time of its kind at that time
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

    /** Whether the lease may have expired, by this process's clock. */
    public boolean isOver() {
        return hasUsed(1);
    }

    /** Whether more than this share of its lease time has passed since the lease. */
    public boolean hasUsed(double share) {
        return System.nanoTime() - leasedNanos > leaseNanos * share;
    }

    public Key lease() {
        return new Key(id, token);
    }
}
