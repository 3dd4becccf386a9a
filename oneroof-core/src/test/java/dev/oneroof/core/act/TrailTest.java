package dev.oneroof.core.act;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.job.worker.JobKeeper;
import dev.oneroof.core.lease.Epoch;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An actor is a claim; the login and the time beside it are the database's own. */
@OneRoofTest
class TrailTest {
    private static final List<String> ROLES =
            List.of("oneroof_server", "workflow_admin", "dot_executor", "oneroof_viewer");

    private static final List<String> TRAILS = List.of(
            "dot_config_audit",
            "event_type_audit",
            "job_dead_letter_replay_run",
            "operator_act",
            "queue_event_log",
            "queue_executor_grant");

    @OnEveryServer
    void noRoleWritesTheLoginOrTheTimeOrChangesWhatIsWritten(TestDatabase database) {
        assertThat(database.list(row -> row.getString(1), """
                        SELECT table_name
                        FROM information_schema.columns
                        WHERE table_schema = 'oneroof' AND column_name = 'db_user' AND is_nullable = 'NO'
                          AND lower(column_default) = 'session_user'
                        ORDER BY table_name
                        """)).isEqualTo(TRAILS);
        for (String trail : TRAILS) {
            for (String role : ROLES) {
                assertThat(database.list(row -> row.getString(1), """
                                SELECT p.privilege
                                FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) p (privilege)
                                WHERE has_table_privilege(?, 'oneroof.%1$s', p.privilege)
                                UNION ALL
                                SELECT c.column_name || ' ' || p.privilege
                                FROM information_schema.columns c, unnest(ARRAY['INSERT', 'UPDATE']) p (privilege)
                                WHERE c.table_schema = 'oneroof' AND c.table_name = '%1$s'
                                  AND (p.privilege = 'UPDATE'
                                       OR c.column_name IN ('db_user', 'act_id', 'acted_at', 'changed_at', 'at', 'started_at', 'granted_at'))
                                  AND has_column_privilege(?, 'oneroof.%1$s', c.column_name, p.privilege)
                                """.formatted(trail), role, role))
                        .as(role + " on " + trail)
                        .isEmpty();
            }
        }
    }

    /** A table that says who did something is a trail, or what it says is the state that a trail led to. */
    @OnEveryServer
    void everyColumnThatNamesAnActorIsKnown(TestDatabase database) {
        assertThat(database.list(row -> row.getString(1), """
                        SELECT c.table_name || '.' || c.column_name
                        FROM information_schema.columns c
                        JOIN information_schema.tables t USING (table_schema, table_name)
                        WHERE c.table_schema = 'oneroof' AND t.table_type = 'BASE TABLE'
                          AND c.table_name !~ '_([0-9]+|default)$' AND c.column_name ~ '(actor|_by)$'
                        ORDER BY 1
                        """))
                .containsExactly(
                        "dot_config.actor",
                        "dot_config_audit.actor",
                        "event_pending.triaged_by",
                        "event_type_audit.actor",
                        "event_type_registry.changed_by",
                        "event_type_registry.registered_by",
                        "job_dead_letter.triaged_by",
                        "job_dead_letter_replay_run.actor",
                        "job_kind.pause_actor",
                        "job_kind.registered_by",
                        "job_schedule.pause_actor",
                        "job_schedule.registered_by",
                        "operator_act.actor",
                        "queue_event_log.actor",
                        "queue_executor_grant.actor",
                        "queue_heartbeat.registered_by",
                        "schema_history.installed_by",
                        "tail_source.registered_by",
                        "worker_definition.actor",
                        "worker_pause.actor");
    }

    @OnEveryServer
    void theServerMayAddAnActAndForgeNone(TestDatabase database) throws SQLException {
        String act = "INSERT INTO oneroof.operator_act (act, target, actor, reason%s) VALUES ('x', 'y', 'ann', 'z'%s)";
        try (Operator ann = new Operator(database);
                Sql sql = ann.as("oneroof_server")) {
            for (String forged : List.of(
                    act.formatted(", db_user", ", 'bob'"),
                    act.formatted(", acted_at", ", '2020-01-01'"),
                    "INSERT INTO oneroof.operator_act (act_id, act, target, actor, reason)"
                            + " OVERRIDING SYSTEM VALUE VALUES (-1, 'x', 'y', 'ann', 'z')",
                    "UPDATE oneroof.operator_act SET actor = 'bob'",
                    "DELETE FROM oneroof.operator_act",
                    "TRUNCATE oneroof.operator_act")) {
                assertThatThrownBy(() -> sql.run(forged)).as(forged).hasMessageContaining("42501");
            }
            sql.run(act.formatted("", ""));

            assertThat(sql.value(String.class, "SELECT db_user FROM oneroof.operator_act"))
                    .isEqualTo(ann.login());
        }
    }

    /** A pause is a state and no trail: it is changed and removed. Its login and its time are the database's all the same. */
    @OnEveryServer
    void theServerMayPauseAWorkerAndForgeNoLogin(TestDatabase database) throws SQLException {
        String pause =
                "INSERT INTO oneroof.worker_pause (executor_name, actor, reason%s) VALUES ('w/s/0', 'ann', 'x'%s)";
        try (Operator ann = new Operator(database);
                Sql sql = ann.as("oneroof_server")) {
            for (String forged : List.of(
                    pause.formatted(", db_user", ", 'bob'"),
                    pause.formatted(", paused_at", ", '2020-01-01'"),
                    "UPDATE oneroof.worker_pause SET db_user = 'bob'",
                    "UPDATE oneroof.worker_pause SET paused_at = '2020-01-01'",
                    "TRUNCATE oneroof.worker_pause")) {
                assertThatThrownBy(() -> sql.run(forged)).as(forged).hasMessageContaining("42501");
            }
            database.run(
                    "INSERT INTO oneroof.worker_pause (executor_name, actor, reason) VALUES ('w/s/0', 'bob', 'y')");
            sql.run(pause.formatted("", "") + " ON CONFLICT (executor_name) DO UPDATE SET reason = EXCLUDED.reason");

            assertThat(sql.value(String.class, "SELECT db_user FROM oneroof.worker_pause"))
                    .isEqualTo(ann.login());
        }
    }

    /** Whoever leaves the actor out would have the last one answer for it. */
    @OnEveryServer
    void aSettingThatIsChangedWithoutAnActorIsTheSessionsOwn(TestDatabase database) throws SQLException {
        String key = "queue.heartbeat.stale_threshold_seconds";
        try (Operator ann = new Operator(database);
                Sql sql = ann.as("workflow_admin")) {
            sql.run("UPDATE oneroof.dot_config SET value = '60', actor = 'bob', reason = 'a trial' WHERE key = ?", key);
            sql.run("UPDATE oneroof.dot_config SET value = '70' WHERE key = ?", key);
            sql.run("UPDATE oneroof.dot_config SET value = '80', actor = 'bob', reason = 'a trial' WHERE key = ?", key);

            assertThat(sql.list(
                            row -> row.getString(1),
                            "SELECT concat_ws(' ', new_value, actor, reason, db_user) FROM oneroof.dot_config_audit"
                                    + " WHERE key = ? ORDER BY audit_id OFFSET 1",
                            key))
                    .containsExactly(
                            "60 bob a trial " + ann.login(),
                            "70 %1$s no reason given %1$s".formatted(ann.login()),
                            "80 bob a trial " + ann.login());
            assertThat(sql.list(
                            row -> row.getString(1),
                            "SELECT concat_ws(' ', act, target, actor, details ->> 'from', details ->> 'to')"
                                    + " FROM oneroof.operator_act ORDER BY act_id"))
                    .containsExactly(
                            "setting_change setting %s bob 0 60".formatted(key),
                            "setting_change setting %s %s 60 70".formatted(key, ann.login()),
                            "setting_change setting %s bob 70 80".formatted(key));
            assertThatThrownBy(() -> sql.run("UPDATE oneroof.dot_config SET updated_at = '2020-01-01'"))
                    .hasMessageContaining("42501");
            assertThat(sql.value(
                            Boolean.class,
                            "SELECT updated_at > now() - interval '1 minute' FROM oneroof.dot_config WHERE key = ?",
                            key))
                    .isTrue();
        }
    }

    @OnEveryServer
    void noSettingOfTheSessionKeepsTheActorOfTheChangeBefore(TestDatabase database) throws SQLException {
        String key = "queue.heartbeat.stale_threshold_seconds";
        try (Operator ann = new Operator(database);
                Sql sql = ann.as("workflow_admin")) {
            sql.run("UPDATE oneroof.dot_config SET value = '60', actor = 'bob', reason = 'a trial' WHERE key = ?", key);
            sql.run("SELECT set_config('oneroof.config_actor', 'named', false)");
            sql.run("UPDATE oneroof.dot_config SET value = '70' WHERE key = ?", key);
            sql.run("UPDATE oneroof.dot_config SET value = '80', actor = 'bob', reason = 'a trial' WHERE key = ?", key);
            sql.run(
                    "UPDATE oneroof.dot_config SET value = '90'"
                            + " WHERE key = ? AND set_config('oneroof.config_actor', 'named', true) = 'named'",
                    key);
            database.run(
                    "INSERT INTO oneroof.dot_config (key, kind, value, description, actor, reason)"
                            + " VALUES (?, 'setting', '0', 'x', 'bob', 'x')"
                            + " ON CONFLICT (key) DO UPDATE SET value = '91', actor = 'cat', reason = 'x'",
                    key);

            assertThat(sql.list(
                            row -> row.getString(1),
                            "SELECT concat_ws(' ', new_value, actor, reason) FROM oneroof.dot_config_audit"
                                    + " WHERE key = ? ORDER BY audit_id OFFSET 1",
                            key))
                    .containsExactly(
                            "60 bob a trial",
                            "70 %s no reason given".formatted(ann.login()),
                            "80 bob a trial",
                            "90 %s no reason given".formatted(ann.login()),
                            "91 cat x");
        }
    }

    /** The role of the program may write all of the row, and these are set for it. */
    @OnEveryServer
    void theTriageOfARowSaysWhichLoginItCameFrom(TestDatabase database) throws SQLException {
        database.run("INSERT INTO oneroof.event_pending (purpose, worker_name, source_name, key_id, dead_lettered_at)"
                + " VALUES ('retry', 'sorter', 'parcels', '3', now())");
        try (Operator ann = new Operator(database);
                Sql sql = ann.as("oneroof_server")) {
            sql.run("UPDATE oneroof.event_pending SET triage_status = 'investigating', triaged_by = 'bob',"
                    + " triaged_at = '2020-01-01', triaged_db_user = 'bob'");
            assertThat(triage(sql)).isEqualTo("bob %s t".formatted(ann.login()));

            sql.run("UPDATE oneroof.event_pending SET triaged_db_user = 'bob', triaged_at = '2020-01-01'");
            assertThat(triage(sql)).isEqualTo("bob %s t".formatted(ann.login()));

            sql.run("INSERT INTO oneroof.event_pending (purpose, worker_name, source_name, key_id, dead_lettered_at,"
                    + " triaged_by, triaged_db_user, triaged_at)"
                    + " VALUES ('retry', 'sorter', 'parcels', '4', now(), 'bob', 'bob', '2020-01-01')");
            assertThat(sql.value(String.class, "SELECT triaged_db_user FROM oneroof.event_pending WHERE key_id = '4'"))
                    .isEqualTo(ann.login());
        }
    }

    private static String triage(Sql sql) {
        return sql.value(
                String.class,
                "SELECT concat_ws(' ', triaged_by, triaged_db_user, triaged_at > now() - interval '1 minute')"
                        + " FROM oneroof.event_pending");
    }

    @OnEveryServer
    void theTriageOfAJobsLetterSaysSoToo(TestDatabase database) throws SQLException {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key LIKE 'queue.%.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        database.run("SELECT oneroof.fn_job_fail(job_id, lease_token, 'x', 'y', p_final => true)"
                + " FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'me')");
        try (Operator ann = new Operator(database);
                Sql sql = ann.as("workflow_admin")) {
            String letter = "oneroof.job_dead_letter";
            sql.run("SELECT oneroof.fn_job_dead_letter_triage(dead_letter_id, 'manual_replay', 'x', 'bob') FROM "
                    + letter);
            assertThat(sql.value(String.class, "SELECT triaged_by || ' ' || triaged_db_user FROM " + letter))
                    .isEqualTo("bob " + ann.login());
            database.run("UPDATE oneroof.job_dead_letter SET triaged_db_user = NULL");
            sql.run("SELECT oneroof.fn_job_dead_letter_replay(dead_letter_id, 'ticket 7', 'bob') FROM " + letter);
            assertThat(sql.value(String.class, "SELECT triaged_by || ' ' || triaged_db_user FROM " + letter))
                    .isEqualTo("bob " + ann.login());
        }
    }

    @OnEveryServer
    void whatHappensToExecutorsSaysWhichLoginDidIt(TestDatabase database) throws SQLException {
        try (Operator ann = new Operator(database);
                Sql sql = ann.as("workflow_admin")) {
            sql.run("SELECT oneroof.fn_queue_heartbeat_register('agent', 'Agent', p_actor => 'bob')");
            assertThat(sql.value(String.class, "SELECT actor || ' ' || db_user FROM oneroof.queue_event_log"))
                    .isEqualTo("bob " + ann.login());

            sql.run("SELECT oneroof.fn_queue_heartbeat_register('agent', 'Agent', '{}', 300, 900, 'bob')");
            assertThat(sql.value(
                            String.class,
                            "SELECT details #>> '{stale_threshold_seconds}' FROM oneroof.operator_act"
                                    + " ORDER BY act_id DESC LIMIT 1"))
                    .isEqualTo("{\"to\": 900, \"from\": 1800}");
            for (String none : List.of("NULL", "''", "' '")) {
                assertThatThrownBy(
                                () -> sql.run("SELECT oneroof.fn_queue_heartbeat_register('b', 'Agent', p_actor => %s)"
                                        .formatted(none)))
                        .hasMessageContaining("actor: ")
                        .hasMessageContaining("is not allowed; allowed are 1 to 500 bytes, not all blank");
            }
        }
    }

    @Test
    void theKeepersDropIsAnActOfItsOwn(TestDatabase database) {
        database.run("CREATE TABLE oneroof.job_history_20200101 PARTITION OF oneroof.job_history"
                + " FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')");
        database.run("CREATE TABLE oneroof.job_log_20200101 PARTITION OF oneroof.job_log"
                + " FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')");
        JobKeeper keeper = new JobKeeper(new Database(database.dataSource(), SchemaName.DEFAULT));

        keeper.runOnce(new Lease(keeper.spec().scope(), "one", new Epoch(1), Duration.ofSeconds(30)));

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws(' ', act, target, actor) FROM oneroof.operator_act ORDER BY act_id"))
                .containsExactly(
                        "job_partitions_drop partition job_history_20200101 job_keeper",
                        "job_partitions_drop partition job_log_20200101 job_keeper");
    }
}
