package dev.oneroof.core.job;

import dev.oneroof.core.signal.Payload;
import dev.oneroof.postgres.text.CalendarTime;
import dev.oneroof.postgres.text.PlainText;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job to be enqueued. What is null is the kind's own, or none.
 *
 * @param key while a job with this key is alive, no second one is enqueued
 * @param priority 0 to 100: a job goes before one of priority 0 that came up to so many minutes earlier
 * @param at not before this time, which is of the years 1 to 9999
 * @param run what it belongs to, for those who look
 */
public record NewJob(
        String kind,
        Payload payload,
        @Nullable String key,
        int priority,
        @Nullable Instant at,
        @Nullable Integer maxAttempts,
        @Nullable UUID run) {
    public NewJob {
        PlainText.demand("kind", kind);
        if (key != null) {
            PlainText.demand("key", key);
        }
        if (at != null) {
            CalendarTime.demand("at", at);
        }
    }

    public static NewJob of(String kind, Payload payload) {
        return new NewJob(kind, payload, null, 0, null, null, null);
    }

    public NewJob once(String idempotencyKey) {
        return new NewJob(kind, payload, idempotencyKey, priority, at, maxAttempts, run);
    }

    public NewJob withPriority(int higher) {
        return new NewJob(kind, payload, key, higher, at, maxAttempts, run);
    }

    public NewJob notBefore(Instant time) {
        return new NewJob(kind, payload, key, priority, time, maxAttempts, run);
    }

    public NewJob triedUpTo(int attempts) {
        return new NewJob(kind, payload, key, priority, at, attempts, run);
    }

    public NewJob partOf(UUID runId) {
        return new NewJob(kind, payload, key, priority, at, maxAttempts, runId);
    }
}
