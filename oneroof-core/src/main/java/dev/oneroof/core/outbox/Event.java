package dev.oneroof.core.outbox;

import dev.oneroof.core.signal.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event to be emitted: a signal that something happened, and where to look it up.
 *
 * @param stream null for the type's own; so with lane and severity
 * @param occurredAt when it happened, by the producer's word; null for the time of the emitting transaction
 */
public record Event(
        EventType type,
        Subject subject,
        Origin origin,
        Payload payload,
        @Nullable String stream,
        @Nullable Lane lane,
        @Nullable Severity severity,
        @Nullable Instant occurredAt) {

    /** An event as its type has it, that happened now. */
    public static Event of(EventType type, Subject subject, Origin origin) {
        return new Event(type, subject, origin, Payload.EMPTY, null, null, null, null);
    }

    public Event with(Payload signal) {
        return new Event(type, subject, origin, signal, stream, lane, severity, occurredAt);
    }

    public Event in(String otherStream, Lane otherLane) {
        return new Event(type, subject, origin, payload, otherStream, otherLane, severity, occurredAt);
    }

    public Event as(Severity other) {
        return new Event(type, subject, origin, payload, stream, lane, other, occurredAt);
    }

    public Event occurredAt(Instant time) {
        return new Event(type, subject, origin, payload, stream, lane, severity, time);
    }
}
