package dev.oneroof.core.outbox;

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

@OneRoofTest
class OutboxRolesTest {
    private static final List<String> ROLES =
            List.of("oneroof_server", "workflow_admin", "dot_executor", "oneroof_viewer", "passer_by");

    private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(
            Map.entry(
                    "SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', 'r', 'a', 's')",
                    Set.of("oneroof_server", "workflow_admin", "dot_executor")),
            Map.entry(
                    "SELECT oneroof.fn_iu_emit_events('[]')",
                    Set.of("oneroof_server", "workflow_admin", "dot_executor")),
            Map.entry("SELECT oneroof.fn_uuid_v7()", Set.of("oneroof_server", "workflow_admin", "dot_executor")),
            Map.entry(
                    "SELECT oneroof.fn_event_type_register('d', 't', 's', 'normal', 'info', '', 'a')",
                    Set.of("oneroof_server", "workflow_admin")),
            Map.entry(
                    "SELECT oneroof.fn_event_type_activate('system', 'queue_worker_silent', 'a', 'r')",
                    Set.of("oneroof_server", "workflow_admin")),
            Map.entry(
                    "SELECT oneroof.fn_event_type_deactivate('system', 'queue_worker_silent', 'a', 'r')",
                    Set.of("oneroof_server", "workflow_admin")),
            Map.entry(
                    "SELECT oneroof.fn_event_type_set_active('system', 'queue_worker_silent', true, 'a', 'r')",
                    Set.of()),
            Map.entry("SELECT oneroof.fn_outbox_partitions_ensure()", Set.of("oneroof_server")),
            Map.entry("SELECT oneroof.fn_outbox_partitions_drop('90 days')", Set.of("oneroof_server")),
            Map.entry(
                    "SELECT count(*) FROM oneroof.event_outbox",
                    Set.of("oneroof_server", "workflow_admin", "oneroof_viewer")),
            Map.entry(
                    "SELECT count(*) FROM oneroof.event_type_registry",
                    Set.of("oneroof_server", "workflow_admin", "oneroof_viewer")),
            Map.entry(
                    "SELECT count(*) FROM oneroof.event_type_audit",
                    Set.of("oneroof_server", "workflow_admin", "oneroof_viewer")),
            Map.entry("INSERT INTO oneroof.event_outbox (id) VALUES (NULL)", Set.of()),
            Map.entry("INSERT INTO oneroof.event_outbox_default (id) VALUES (NULL)", Set.of()),
            Map.entry("UPDATE oneroof.event_outbox SET actor_ref = 'x'", Set.of()),
            Map.entry("DELETE FROM oneroof.event_outbox", Set.of()),
            Map.entry("TRUNCATE oneroof.event_outbox", Set.of()),
            Map.entry("DELETE FROM oneroof.event_outbox_default", Set.of()),
            Map.entry("INSERT INTO oneroof.event_type_registry (event_domain) VALUES ('x')", Set.of()),
            Map.entry("UPDATE oneroof.event_type_registry SET active = true", Set.of()),
            Map.entry("DELETE FROM oneroof.event_type_audit", Set.of()));

    @OnEveryServer
    void mayDoWhatTheyShouldAndNothingElse(TestDatabase database) {
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

    @OnEveryServer
    void leavesNoFunctionWithTheOwnersRightsToChance(TestDatabase database) {
        assertThat(
                        database.list(
                                row -> row.getString(1),
                                "SELECT proname FROM pg_proc WHERE pronamespace = 'oneroof'::regnamespace AND prosecdef"
                                        + " AND NOT coalesce(proconfig::text[] @> ARRAY['search_path=pg_catalog, pg_temp'], false)"))
                .isEmpty();
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
