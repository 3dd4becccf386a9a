package dev.oneroof.core.job;

import dev.oneroof.core.signal.Payload;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.text.CalendarTime;
import dev.oneroof.postgres.text.DurationText;
import dev.oneroof.postgres.text.PlainText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job to enqueue. Null is the default of the kind, or none.
 *
 * @param key while a job with this key is alive, no second one is enqueued; 1 to 500 bytes
 * @param priority 0 to 100: a job goes before one of priority 0 that was due up to so many minutes earlier
 * @param at not before this time, in the years 1 to 9999
 * @param in not before this delay after it is enqueued, by the database's clock; never together with {@code at}
 * @param run an id of what it belongs to, shown to operators
 */
public record NewJob(
        String kind,
        Payload payload,
        @Nullable String key,
        int priority,
        @Nullable Instant at,
        @Nullable Duration in,
        @Nullable Integer maxAttempts,
        @Nullable UUID run) {
    private static final int LONGEST_KEY = 500;
    private static final int SHOWN = 80;
    // From any time of the next five thousand years, it leads to a year of four digits.
    private static final Duration LONGEST = Duration.ofDays(1_000_000);

    public NewJob {
        PlainText.demand("kind", kind);
        if (key != null) {
            demandKey(key);
        }
        if (at != null) {
            CalendarTime.demand("at", at);
        }
        if (in != null) {
            demandDelay(in, at);
        }
    }

    private static void demandKey(String key) {
        PlainText.demand("key", key);
        int bytes = key.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > LONGEST_KEY) {
            throw refused("key: '%s' of %d bytes is not allowed; allowed are 1 to %d bytes"
                    .formatted(key.substring(0, Math.min(SHOWN, key.length())), bytes, LONGEST_KEY));
        }
    }

    private static void demandDelay(Duration in, @Nullable Instant at) {
        if (in.isNegative() || in.compareTo(LONGEST) > 0) {
            throw refused("in: '%s' is not allowed; allowed are times from 0s to %s"
                    .formatted(DurationText.of(in), DurationText.of(LONGEST)));
        }
        if (at != null) {
            throw refused("in: '%s' is not allowed together with at '%s'; allowed is one of them"
                    .formatted(DurationText.of(in), at));
        }
    }

    private static OneRoofException refused(String message) {
        return new OneRoofException(ErrorCode.INVALID_INPUT, message);
    }

    public static NewJob of(String kind, Payload payload) {
        return new NewJob(kind, payload, null, 0, null, null, null, null);
    }

    public NewJob once(String idempotencyKey) {
        return new NewJob(kind, payload, idempotencyKey, priority, at, in, maxAttempts, run);
    }

    public NewJob withPriority(int higher) {
        return new NewJob(kind, payload, key, higher, at, in, maxAttempts, run);
    }

    /** Replaces an earlier time or delay. */
    public NewJob notBefore(Instant time) {
        return new NewJob(kind, payload, key, priority, time, null, maxAttempts, run);
    }

    /**
     * Not before this delay after it is enqueued. The database counts it from the start of the transaction, as
     * {@code enqueued_at}, so this process's clock does not matter. Replaces an earlier time or delay.
     */
    public NewJob in(Duration delay) {
        return new NewJob(kind, payload, key, priority, null, delay, maxAttempts, run);
    }

    public NewJob triedUpTo(int attempts) {
        return new NewJob(kind, payload, key, priority, at, in, attempts, run);
    }

    public NewJob partOf(UUID runId) {
        return new NewJob(kind, payload, key, priority, at, in, maxAttempts, runId);
    }

    /** With its delay converted to a time. */
    NewJob enqueuedAt(Instant now) {
        return in == null ? this : notBefore(now.plus(in));
    }
}
