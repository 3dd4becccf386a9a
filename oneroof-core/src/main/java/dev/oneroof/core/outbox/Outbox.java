package dev.oneroof.core.outbox;

import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Emits events into {@code event_outbox}, in the caller's transaction: the event is there if and only if what it tells of
 * is. A refused event fails the transaction.
 */
public final class Outbox {
    private static final String EMIT = """
            SELECT e.event_id
            FROM oneroof.fn_iu_emit_events((
                SELECT jsonb_agg(
                           jsonb_build_object(
                               'event_domain', g.domain, 'event_type', g.type, 'event_stream', g.stream,
                               'delivery_lane', g.lane, 'event_severity', g.severity,
                               'event_subject_table', g.subject_table, 'event_subject_ref', g.subject_ref,
                               'canonical_address', g.address, 'actor_ref', g.actor, 'source_system', g.system,
                               'safe_payload', CAST(g.payload AS jsonb), 'occurred_at', g.occurred_at)
                           ORDER BY g.no)
                FROM unnest(
                    CAST(:domains AS text[]), CAST(:types AS text[]), CAST(:streams AS text[]),
                    CAST(:lanes AS text[]), CAST(:severities AS text[]), CAST(:tables AS text[]),
                    CAST(:refs AS text[]), CAST(:addresses AS text[]), CAST(:actors AS text[]),
                    CAST(:systems AS text[]), CAST(:payloads AS text[]), CAST(:times AS text[]))
                    WITH ORDINALITY AS g (
                        domain, type, stream, lane, severity, subject_table, subject_ref, address, actor, system,
                        payload, occurred_at, no))) e
            ORDER BY e.event_no
            """;

    public EventId emit(Tx tx, Event event) {
        return emitAll(tx, List.of(event)).getFirst();
    }

    /** As {@link #emit(Tx, Event)}, in the transaction of a handler. */
    public EventId emit(UserTx tx, Event event) {
        return emit(tx.own(), event);
    }

    /** As {@link #emitAll(Tx, List)}, in the transaction of a handler. */
    public List<EventId> emitAll(UserTx tx, List<Event> events) {
        return emitAll(tx.own(), events);
    }

    /** All or none, in one statement. Within the outbox they keep this order. */
    public List<EventId> emitAll(Tx tx, List<Event> events) {
        if (events.isEmpty()) {
            return List.of();
        }
        try {
            return tx.query(EMIT)
                    .bind("domains", texts(events, event -> event.type().domain()))
                    .bind("types", texts(events, event -> event.type().name()))
                    .bind("streams", texts(events, Event::stream))
                    .bind("lanes", texts(events, Outbox::lane))
                    .bind("severities", texts(events, Outbox::severity))
                    .bind("tables", texts(events, event -> event.subject().table()))
                    .bind("refs", texts(events, event -> event.subject().ref()))
                    .bind("addresses", texts(events, event -> event.subject().address()))
                    .bind("actors", texts(events, event -> event.origin().actor()))
                    .bind("systems", texts(events, event -> event.origin().system()))
                    .bind("payloads", texts(events, event -> event.payload().json()))
                    .bind("times", texts(events, Outbox::time))
                    .mapTo(UUID.class)
                    .map(EventId::new)
                    .list();
        } catch (JdbiException e) {
            throw explained(e);
        }
    }

    private static RuntimeException explained(JdbiException failure) {
        if (SqlState.isEventTypeUnknown(failure)) {
            return new OneRoofException(ErrorCode.NOT_FOUND, SqlState.message(failure), failure);
        }
        if (SqlState.isNoSignal(failure)) {
            return new OneRoofException(ErrorCode.INVALID_INPUT, SqlState.message(failure), failure);
        }
        return failure;
    }

    private static @Nullable String lane(Event event) {
        Lane lane = event.lane();
        return lane == null ? null : lane.sql();
    }

    private static @Nullable String severity(Event event) {
        Severity severity = event.severity();
        return severity == null ? null : severity.sql();
    }

    private static @Nullable String time(Event event) {
        return event.occurredAt() == null ? null : event.occurredAt().toString();
    }

    private static @Nullable String[] texts(List<Event> events, Function<Event, @Nullable String> text) {
        return events.stream().map(text).toArray(String[]::new);
    }
}
