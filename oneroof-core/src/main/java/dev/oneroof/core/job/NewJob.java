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
 * A job to be enqueued. What is null is the kind's own, or none.
 *
 * @param key while a job with this key is alive, no second one is enqueued; of 1 to 500 bytes
 * @param priority 0 to 100: a job goes before one of priority 0 that came up to so many minutes earlier
 * @param at not before this time, which is of the years 1 to 9999
 * @param in not before so long from when it is enqueued, by the database's clock; never beside {@code at}
 * @param run what it belongs to, for those who look
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
    // From any time of the next five thousand years on, it ends in a year of four digits.
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
            throw refused("in: '%s' is not allowed beside at '%s'; allowed is one of them"
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

    /** In the place of what was said of its time before. */
    public NewJob notBefore(Instant time) {
        return new NewJob(kind, payload, key, priority, time, null, maxAttempts, run);
    }

    /**
     * Not before so long from when it is enqueued, whatever this process's clock says: the database reckons it from the
     * beginning of the transaction, as it does {@code enqueued_at}. In the place of what was said of its time before.
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

    /** With a time in the place of a delay. */
    NewJob enqueuedAt(Instant now) {
        return in == null ? this : notBefore(now.plus(in));
    }
}
