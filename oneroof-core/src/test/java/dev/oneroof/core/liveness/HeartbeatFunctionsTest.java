package dev.oneroof.core.liveness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Beats of executors in any language, by SQL alone. */
@OneRoofTest
class HeartbeatFunctionsTest {
    private static final List<String> ROLES =
            List.of("oneroof_server", "workflow_admin", "dot_executor", "oneroof_viewer", "passer_by");

    private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(
            Map.entry(
                    "SELECT oneroof.fn_queue_heartbeat_register('b', 'DOT')",
                    Set.of("oneroof_server", "workflow_admin")),
            Map.entry("SELECT oneroof.fn_queue_heartbeat_deregister('a')", Set.of("oneroof_server", "workflow_admin")),
            Map.entry(
                    "SELECT oneroof.fn_queue_heartbeat_tick('a', 'DOT')",
                    Set.of("oneroof_server", "workflow_admin", "dot_executor")),
            Map.entry(
                    "SELECT oneroof.fn_queue_heartbeat_write('a')",
                    Set.of("oneroof_server", "workflow_admin", "dot_executor")),
            Map.entry(
                    "SELECT oneroof.fn_queue_stale_check()",
                    Set.of("oneroof_server", "workflow_admin", "dot_executor", "oneroof_viewer")),
            Map.entry(
                    "SELECT * FROM oneroof.v_queue_health",
                    Set.of("oneroof_server", "workflow_admin", "oneroof_viewer")),
            Map.entry(
                    "SELECT * FROM oneroof.queue_event_log",
                    Set.of("oneroof_server", "workflow_admin", "oneroof_viewer")),
            Map.entry("SELECT oneroof.fn_queue_report_silence('a', 'warning', 1, 1)", Set.of()),
            Map.entry("INSERT INTO oneroof.queue_event_log (executor_name) VALUES ('a')", Set.of()),
            Map.entry("DELETE FROM oneroof.queue_silence", Set.of()),
            Map.entry(
                    "UPDATE oneroof.dot_config SET value = 'false' WHERE key = 'queue.heartbeat.enabled'",
                    Set.of("oneroof_server", "workflow_admin")));

    @OnEveryServer
    void letEachRoleDoWhatItShouldAndNothingElse(TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'DOT')");
        database.run("CREATE ROLE " + passerBy(database));
        try {
            ALLOWED.forEach((statement, allowed) -> ROLES.forEach(role -> {
                if (allowed.contains(role)) {
                    assertThatCode(() -> runAs(database, role, statement))
                            .as(role + ": " + statement)
                            .doesNotThrowAnyException();
                } else {
                    assertThatThrownBy(() -> runAs(database, role, statement))
                            .as(role + ": " + statement)
                            .hasMessageContaining("42501");
                }
            }));
        } finally {
            database.run("DROP ROLE " + passerBy(database));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DOT,60,300",
        "Agent,300,1800",
        "Hermes,300,1800",
        "Codex,300,1800",
        "PG_worker,5,30",
        "external_worker,60,300",
        "future_Kestra_adapter,300,1800"
    })
    void haveDefaultsForEachKind(String kind, int cadence, int threshold, TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', '%s', ARRAY['iu'])".formatted(kind));

        assertThat(row(database)).isEqualTo("%s {iu} %d %d 0".formatted(kind, cadence, threshold));
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', '%s')".formatted(kind));
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', '%s', '{}', 7, 70)".formatted(kind));
        assertThat(row(database)).as("registered anew").isEqualTo("%s {} 7 70 1".formatted(kind));
    }

    @Test
    void holdNoCadenceOfItsOwnAgainstTheThresholdOfItsKind(TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'DOT', '{}', 600)");
        assertThat(row(database)).isEqualTo("DOT {} 600 3000 0");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'DOT', '{}', 2000000000)");
        assertThat(row(database)).isEqualTo("DOT {} 2000000000 2147483647 0");
    }

    @Test
    void readAsStuckWhereTheirLastBeatSaysError(TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'Agent')");
        database.run(
                "SELECT oneroof.fn_queue_heartbeat_tick('a', 'Agent', 'error', NULL, NULL, '{\"since\": \"9999-99-99\"}')");

        assertThat(database.list(row -> row.getString(1), "SELECT state || ': ' || reason FROM oneroof.v_queue_health"))
                .containsExactly("stuck: its last beat says error");
    }

    @Test
    void writeABeatWithWhatTheExecutorDoes(TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'Agent')");
        database.run("UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '10 s'");

        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'Agent', 'warn',"
                + " '00000000-0000-0000-0000-00000000002a', NULL, '{\"left\": 3}')");

        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', last_tick_status, ticks_total, current_job_id, last_beat_payload,"
                                + " last_tick_at > now() - interval '5 s') FROM oneroof.queue_heartbeat"))
                .isEqualTo("warn 1 00000000-0000-0000-0000-00000000002a {\"left\": 3} t");
        database.run("SELECT oneroof.fn_queue_heartbeat_write('a', '{}', 'ann')");
        assertThat(database.value(
                        String.class, "SELECT last_tick_status || last_beat_payload FROM oneroof.queue_heartbeat"))
                .isEqualTo("ok{\"actor\": \"ann\"}");
    }

    /** There may be hundreds of jobs in a second, and an open snapshot would keep a version for each. */
    @Test
    void writeAnotherJobAtMostOnceASecond(TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'Agent')");
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'Agent', 'ok', gen_random_uuid())"
                + " FROM generate_series(1, 20)");
        assertThat(database.value(Long.class, "SELECT ticks_total FROM oneroof.queue_heartbeat"))
                .isLessThan(20);
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('a', 'Agent', 'error', gen_random_uuid())");
        assertThat(database.value(String.class, "SELECT last_tick_status FROM oneroof.queue_heartbeat"))
                .isEqualTo("error");
    }

    @Test
    void writeNothingWhileTheGateIsClosed(TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'DOT')");
        database.run("UPDATE oneroof.dot_config SET value = 'false' WHERE key = 'queue.heartbeat.enabled'");

        assertThat(database.value(
                        Boolean.class, "SELECT (oneroof.fn_queue_heartbeat_tick('a', 'DOT')->>'written')::boolean"))
                .isFalse();

        assertThat(row(database)).endsWith(" 0");
        assertThat(database.value(Boolean.class, "SELECT (oneroof.fn_queue_stale_check()->>'inert')::boolean"))
                .isTrue();
        assertThat(database.list(row -> row.getString(1), "SELECT state FROM oneroof.v_queue_health"))
                .containsExactly("unwatched");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            fn_queue_heartbeat_register('', 'DOT')                  | executor: '' is not allowed
            fn_queue_heartbeat_register(repeat('x', 501), 'DOT')    | allowed are names of 1 to 500 bytes
            fn_queue_heartbeat_register(NULL, 'DOT')                | executor: '' is not allowed
            fn_queue_heartbeat_register('b', 'dot')                 | kind: 'dot' is not allowed; allowed are DOT, Agent
            fn_queue_heartbeat_register('b', NULL)                  | kind: '' is not allowed
            fn_queue_heartbeat_register('b', 'DOT', '{}', 0)        | cadence_seconds: 0 is not allowed
            fn_queue_heartbeat_register('b', 'DOT', '{}', 9, 8)     | threshold_seconds: 8 is not allowed; allowed are 9
            fn_queue_heartbeat_tick('b', 'DOT')                     | executor: 'b' is not registered
            fn_queue_heartbeat_tick(NULL, 'DOT')                    | is not registered
            fn_queue_heartbeat_write('b')                           | executor: 'b' is not registered
            fn_queue_heartbeat_tick('a', 'Agent')                   | kind: 'Agent' is not allowed; 'a' is registered as DOT
            fn_queue_heartbeat_tick('a', 'DOT', 'fine')             | status: 'fine' is not allowed; allowed are ok, warn, error
            fn_queue_heartbeat_tick('a', 'DOT', payload => 1)       | does not exist
            fn_queue_heartbeat_tick('a', 'DOT', p_payload => '{"x": [{"body": 1}]}') | payload: that of 'a' is no signal: its key 'x[0].body' is one of
            fn_queue_heartbeat_tick('a', 'DOT', p_payload => '[]')  | payload: that of 'a' is no signal
            fn_queue_heartbeat_tick('a', 'DOT', p_payload => NULL)  | payload: that of 'a' is no signal
            fn_queue_heartbeat_tick('a', 'DOT', p_lease_owner => 'me') | is beaten for under a lease
            fn_queue_heartbeat_tick('leased', 'PG_worker')          | 'leased' is beaten for under a lease
            fn_queue_heartbeat_deregister('leased')                 | 'leased' is running under owner
            """)
    void refuseWhatIsWrongByName(String call, String message, TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'DOT')");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('leased', 'PG_worker')");
        database.run("UPDATE oneroof.queue_heartbeat SET lease_owner = 'owner', lease_epoch = 1,"
                + " lease_until = now() + interval '1 minute' WHERE executor_name = 'leased'");

        assertThatThrownBy(() -> database.run("SELECT oneroof." + call)).hasMessageContaining(message);

        assertThat(database.value(Long.class, "SELECT sum(ticks_total)::bigint FROM oneroof.queue_heartbeat"))
                .isZero();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.queue_heartbeat"))
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "nobody"})
    void forgetAnExecutorThatIsDeregistered(String name, TestDatabase database) {
        database.run("SELECT oneroof.fn_queue_heartbeat_register('a', 'DOT', '{}', 1, 1)");
        database.run("UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '1 minute'");
        database.run("SELECT oneroof.fn_queue_stale_check()");

        boolean gone = database.value(
                Boolean.class,
                "SELECT (oneroof.fn_queue_heartbeat_deregister('%s', 'ann')->>'deregistered')::boolean"
                        .formatted(name));

        assertThat(gone).isEqualTo(name.equals("a"));
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.queue_silence"))
                .isEqualTo(gone ? 0 : 1);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.system_issues WHERE status <> 'resolved'"))
                .isEqualTo(gone ? 0 : 1);
    }

    private static String row(TestDatabase database) {
        return database.value(
                String.class,
                "SELECT concat_ws(' ', executor_kind, domain_scope, expected_cadence_seconds, stale_threshold_seconds,"
                        + " ticks_total) FROM oneroof.queue_heartbeat");
    }

    private static void runAs(TestDatabase database, String role, String statement) {
        try (Sql sql = database.sql()) {
            sql.run("BEGIN");
            sql.run("SET LOCAL ROLE " + (role.equals("passer_by") ? passerBy(database) : role));
            sql.run(statement);
            sql.run("ROLLBACK");
        }
    }

    private static String passerBy(TestDatabase database) {
        return database.name() + "_passer_by";
    }
}
