package dev.oneroof.core.outbox;

import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import org.jdbi.v3.core.JdbiException;

/**
 * Emits events into {@code event_outbox}, in the caller's transaction: the event is committed if and only if the change that
 * it reports is. A refused event fails the transaction.
 */
public final class Outbox {
    private final OutboxStore store = new OutboxStore();

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

    /** All or none, in one statement. The outbox keeps their order. */
    public List<EventId> emitAll(Tx tx, List<Event> events) {
        if (events.isEmpty()) {
            return List.of();
        }
        try {
            return store.emit(tx, events);
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
}
