package dev.oneroof.core.outbox;

import dev.oneroof.postgres.Tx;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Inserts events by {@code fn_iu_emit_events}. */
final class OutboxStore {
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

    /** In one statement; the ids are in the order of the events. */
    List<EventId> emit(Tx tx, List<Event> events) {
        return tx.query(EMIT)
                .bind("domains", texts(events, event -> event.type().domain()))
                .bind("types", texts(events, event -> event.type().name()))
                .bind("streams", texts(events, Event::stream))
                .bind("lanes", texts(events, OutboxStore::lane))
                .bind("severities", texts(events, OutboxStore::severity))
                .bind("tables", texts(events, event -> event.subject().table()))
                .bind("refs", texts(events, event -> event.subject().ref()))
                .bind("addresses", texts(events, event -> event.subject().address()))
                .bind("actors", texts(events, event -> event.origin().actor()))
                .bind("systems", texts(events, event -> event.origin().system()))
                .bind("payloads", texts(events, event -> event.payload().json()))
                .bind("times", texts(events, OutboxStore::time))
                .mapTo(UUID.class)
                .map(EventId::new)
                .list();
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
