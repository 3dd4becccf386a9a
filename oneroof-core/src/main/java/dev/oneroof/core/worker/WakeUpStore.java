package dev.oneroof.core.worker;

import dev.oneroof.postgres.Tx;
import java.util.List;

/** The domains that wake-ups are sent for, and the notification that tests the connection. */
final class WakeUpStore {
    private static final String DOMAINS = """
            SELECT event_domain FROM oneroof.event_type_registry
            UNION
            SELECT event_domain FROM oneroof.job_kind
            """;

    private static final String SEND = "SELECT pg_catalog.pg_notify(:channel, :token)";

    List<String> domains(Tx tx) {
        return tx.query(DOMAINS).mapTo(String.class).list();
    }

    void send(Tx tx, String channel, String token) {
        tx.query(SEND)
                .bind("channel", channel)
                .bind("token", token)
                .mapTo(String.class)
                .findOne();
    }
}
