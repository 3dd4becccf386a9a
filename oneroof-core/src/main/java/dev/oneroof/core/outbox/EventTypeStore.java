package dev.oneroof.core.outbox;

import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.JdbiException;

/** The types of events, in {@code event_type_registry}. A type is registered, then activated, then emitted. */
public final class EventTypeStore {
    private static final String REGISTER = """
            SELECT oneroof.fn_event_type_register(
                :domain, :type, :stream, :lane, :severity, :description, :actor)
            """;

    private static final String ACTIVATE = "SELECT oneroof.fn_event_type_activate(:domain, :type, :actor, :reason)";

    private static final String DEACTIVATE = "SELECT oneroof.fn_event_type_deactivate(:domain, :type, :actor, :reason)";

    private static final String FIND = """
            SELECT default_stream, default_lane, default_severity, description
            FROM oneroof.event_type_registry
            WHERE event_domain = :domain AND event_type = :type
            """;

    private static final String IS_ACTIVE = """
            SELECT EXISTS (
                SELECT
                FROM oneroof.event_type_registry
                WHERE event_domain = :domain AND event_type = :type AND active)
            """;

    /** Registers a type, inactive, or changes its defaults. False when it was registered with these. */
    public boolean register(Tx tx, EventTypeDefinition definition, String actor) {
        return tx.query(REGISTER)
                .bind("domain", definition.type().domain())
                .bind("type", definition.type().name())
                .bind("stream", definition.stream())
                .bind("lane", definition.lane().sql())
                .bind("severity", definition.severity().sql())
                .bind("description", definition.description())
                .bind("actor", actor)
                .mapTo(Boolean.class)
                .one();
    }

    /** Allows events of the type. False when it was active before. */
    public boolean activate(Tx tx, EventType type, String actor, String reason) {
        return set(tx, ACTIVATE, type, actor, reason);
    }

    /** Refuses events of the type. False when it was not active before. */
    public boolean deactivate(Tx tx, EventType type, String actor, String reason) {
        return set(tx, DEACTIVATE, type, actor, reason);
    }

    public Optional<EventTypeDefinition> find(Tx tx, EventType type) {
        return tx.query(FIND)
                .bind("domain", type.domain())
                .bind("type", type.name())
                .map((row, context) -> new EventTypeDefinition(
                        type,
                        row.getString("default_stream"),
                        Lane.valueOf(row.getString("default_lane").toUpperCase(Locale.ROOT)),
                        Severity.valueOf(row.getString("default_severity").toUpperCase(Locale.ROOT)),
                        row.getString("description")))
                .findOne();
    }

    public boolean isActive(Tx tx, EventType type) {
        return tx.query(IS_ACTIVE)
                .bind("domain", type.domain())
                .bind("type", type.name())
                .mapTo(Boolean.class)
                .one();
    }

    private static boolean set(Tx tx, String act, EventType type, String actor, String reason) {
        try {
            return tx.query(act)
                    .bind("domain", type.domain())
                    .bind("type", type.name())
                    .bind("actor", actor)
                    .bind("reason", reason)
                    .mapTo(Boolean.class)
                    .one();
        } catch (JdbiException e) {
            if (SqlState.isEventTypeUnknown(e)) {
                throw new OneRoofException(ErrorCode.NOT_FOUND, SqlState.message(e), e);
            }
            throw e;
        }
    }
}
