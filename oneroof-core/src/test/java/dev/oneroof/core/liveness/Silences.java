package dev.oneroof.core.liveness;

import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;

/** Executors that fall silent, and what is told of them. */
final class Silences {
    private Silences() {}

    static void register(TestDatabase database, String name, int cadence, int threshold) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('%s', 'DOT', '{}', %d, %d)"
                .formatted(name, cadence, threshold));
    }

    /** As if it had beaten so long ago; the clock itself goes on. */
    static void silentFor(TestDatabase database, String name, int seconds) {
        try (Sql sql = database.sql()) {
            sql.run("SET session_replication_role = replica");
            sql.run(
                    "UPDATE oneroof.queue_heartbeat SET last_tick_at = clock_timestamp() - interval '%d s' WHERE executor_name = '%s'"
                            .formatted(seconds, name));
        }
    }

    static void gate(TestDatabase database, boolean open) {
        database.run(
                "UPDATE oneroof.dot_config SET value = '%s', actor = 'ann', reason = 'a move' WHERE key = 'queue.heartbeat.enabled'"
                        .formatted(open));
    }

    static void check(TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_stale_check()");
    }

    static List<String> events(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT concat_ws(' ', event_subject_ref, event_severity, event_stream, delivery_lane,"
                        + " safe_payload->>'age_seconds', safe_payload->>'expected_cadence_seconds', safe_payload->>'gap_ratio')"
                        + " FROM oneroof.event_outbox WHERE event_type = 'queue_worker_silent' ORDER BY created_at, id");
    }

    static List<String> log(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT concat_ws(' ', transition, severity, floor(gap_seconds)) FROM oneroof.queue_event_log ORDER BY log_id");
    }

    static List<String> findings(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT concat_ws(' ', coalesce_key, severity, status) FROM oneroof.system_issues"
                        + " WHERE issue_type = 'cursor_silent_gap' ORDER BY issue_id");
    }

    static String state(TestDatabase database, String name) {
        return database.value(
                String.class,
                "SELECT state || ' ' || status_hint FROM oneroof.v_queue_health WHERE executor_name = '%s'"
                        .formatted(name));
    }
}
