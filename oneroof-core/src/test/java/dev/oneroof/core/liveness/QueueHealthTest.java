package dev.oneroof.core.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The single pane: what it shows, and that it stays cheap. */
@OneRoofTest
class QueueHealthTest {
    private static final String DEAD = """
            INSERT INTO oneroof.event_pending
                (purpose, worker_name, source_name, key_id, event_domain, entity_table, error_count, dead_lettered_at)
            SELECT 'retry', 'w', 's', n::text, 'domain_' || n %% 3, 'table_' || n %% 2, 5, now()
            FROM generate_series(1, %d) n
            """;

    @Test
    void acceptanceOfPhase2TheHeartbeatOfTheOutboundWorkerIsFresh(TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('iu_outbound_default', 'PG_worker')");
        database.run(
                "SELECT oneroof.fn_queue_heartbeat_tick('iu_outbound_default', 'PG_worker', 'ok', NULL, NULL, '{}')");

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws(' | ', executor_name, status_hint) FROM oneroof.v_queue_health"
                                + " WHERE age_seconds < 300"))
                .containsExactly("iu_outbound_default | fresh");
    }

    @Test
    void aCursorThatNobodyIsRegisteredForIsSilent(TestDatabase database) {
        database.run("INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name) VALUES"
                + " ('reader', 'event_outbox'), ('sorter', 'event_outbox')");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('sorter/event_outbox/0', 'PG_worker')");

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws(' | ', subject, executor_name, status_hint, state, reason)"
                                + " FROM oneroof.v_queue_health WHERE source = 'cursor' ORDER BY 1"))
                .containsExactly(
                        "reader | stale | silent | no worker is registered for it",
                        "sorter | sorter/event_outbox/0 | fresh | quiet | nothing to do");
    }

    @Test
    void countsOpenDeadLettersByDomainAndTable(TestDatabase database) {
        database.run(DEAD.formatted(12));
        database.run(
                "UPDATE oneroof.event_pending SET processed_at = now(), dead_lettered_at = NULL WHERE key_id = '1'");

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws(' ', source, subject, domain, count, status_hint) FROM oneroof.v_queue_health"
                                + " ORDER BY 1"))
                .containsExactly(
                        "dead_letter_row table_0 domain_0 2 open",
                        "dead_letter_row table_0 domain_1 2 open",
                        "dead_letter_row table_0 domain_2 2 open",
                        "dead_letter_row table_1 domain_0 2 open",
                        "dead_letter_row table_1 domain_1 1 open",
                        "dead_letter_row table_1 domain_2 2 open");
    }

    /** An executor may send anything that is a signal. */
    @ParameterizedTest
    @ValueSource(strings = {"1e-400", "-1", "99999999999999999999", "\"soon\"", "null", "1e12", "0.1234567891234"})
    void isReadWhateverAnExecutorHasSent(String since, TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'DOT')");
        database.run(
                "SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT', p_payload => '{\"doing\": \"working\", \"since\": %s}')"
                        .formatted(since));

        assertThat(database.list(row -> row.getString(1), "SELECT state, since FROM oneroof.v_queue_health"))
                .containsExactly("working");
    }

    /** By an index alone, with a hundred thousand of them; and whatever else there is, it does not look at it. */
    @Test
    void readsNoTableThatGrows(TestDatabase database) {
        database.run(DEAD.formatted(100_000));
        database.run("VACUUM ANALYZE oneroof.event_pending");
        List<String> plan;
        try (Sql sql = database.sql()) {
            plan = sql.list(row -> row.getString(1), "EXPLAIN SELECT * FROM oneroof.v_queue_health");
        }

        assertThat(plan).anyMatch(line -> line.contains("Index Only Scan using event_pending_dead_domain_idx"));
        assertThat(plan).noneMatch(line -> line.contains("gov_candidate_state") || line.contains("event_outbox"));
        assertThat(plan).noneMatch(line -> line.contains("Seq Scan on event_pending"));
    }
}
