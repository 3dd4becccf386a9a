package dev.oneroof.core.act;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.SoftAssertions;

/**
 * What SQL lets an administrator change leaves one row in {@code operator_act}: in the transaction of the change, with the
 * actor and the reason that were given, and with the login that the session belongs to.
 */
@OneRoofTest
class EveryActLeavesAnActTest {
    private static final String GROUP =
            "'mark_file', (SELECT min(fingerprint) FROM oneroof.job_dead_letter WHERE job_kind = 'mark_file')";

    /** What can be done, and the act and the reason that it leaves. */
    private record Done(String role, String statement, String act, String reason) {
        static Done byAdmin(String statement, String act, String reason) {
            return new Done("workflow_admin", statement, act, reason);
        }
    }

    private static final Map<String, Done> ACTS = Map.ofEntries(
            act("fn_job_kind_register", "('new', p_actor => 'ann')", "job_kind_register", "added"),
            act("fn_job_kind_pause", "('mark_file', true, 'a look', 'ann')", "job_kind_pause", "a look"),
            act("fn_job_cancel", "(" + later() + ", 'not needed', 'ann')", "job_cancel", "not needed"),
            act("fn_job_retry_now", "(" + later() + ", 'urgent', 'ann')", "job_retry", "urgent"),
            act(
                    "fn_job_dead_letter_triage",
                    "(" + letter() + ", 'closed', 'seen', 'ann')",
                    "job_dead_letter_triage",
                    "seen"),
            act(
                    "fn_job_dead_letter_triage_group",
                    "(" + GROUP + ", 'closed', 'seen', 'ann')",
                    "job_dead_letter_triage",
                    "seen"),
            act(
                    "fn_job_dead_letter_replay",
                    "(" + letter() + ", 'ticket 7', 'ann')",
                    "job_dead_letter_replay",
                    "ticket 7"),
            act(
                    "fn_job_dead_letter_replay_start",
                    "(" + GROUP + ", 'ticket 7', 10, 'ann')",
                    "job_dead_letter_replay",
                    "ticket 7"),
            act(
                    "fn_job_dead_letter_replay_cancel",
                    "((SELECT replay_run_id FROM oneroof.job_dead_letter_replay_run), 'enough', 'ann')",
                    "job_dead_letter_replay_cancel",
                    "enough"),
            act(
                    "fn_job_dead_letter_drop",
                    "(interval '90 days', 'ann')",
                    "job_dead_letter_drop",
                    "closed more than 90 days ago"),
            act(
                    "fn_job_partitions_drop",
                    "(interval '7 days', 'ann')",
                    "job_partitions_drop",
                    "ended more than 7 days ago"),
            act(
                    "fn_job_schedule_put",
                    "('new', 'mark_file', NULL, NULL, 60, NULL, now(), p_actor => 'ann')",
                    "job_schedule_put",
                    "added"),
            act("fn_job_schedule_pause", "('tick', 'a look', 'ann')", "job_schedule_pause", "a look"),
            act("fn_job_schedule_resume", "('rests', now(), 'seen', 'ann')", "job_schedule_resume", "seen"),
            act("fn_job_schedule_remove", "('tick', 'not needed', 'ann')", "job_schedule_remove", "not needed"),
            act(
                    "fn_job_schedule_stop",
                    "('tick', (SELECT version FROM oneroof.job_schedule WHERE schedule_name = 'tick'), 'no such', 'ann')",
                    "job_schedule_stop",
                    "no such"),
            act(
                    "fn_queue_heartbeat_register",
                    "('agent', 'Agent', '{}', 300, 900, 'ann')",
                    "executor_register",
                    "changed"),
            act("fn_queue_heartbeat_deregister", "('agent', 'ann')", "executor_deregister", "removed"),
            act(
                    "fn_event_type_register",
                    "('shop', 'sold', 'event', 'normal', 'info', '', 'ann')",
                    "event_type_register",
                    "added"),
            act("fn_event_type_activate", "('shop', 'bought', 'ann', 'due')", "event_type_activate", "due"),
            act(
                    "fn_event_type_deactivate",
                    "('system', 'queue_worker_silent', 'ann', 'too loud')",
                    "event_type_deactivate",
                    "too loud"),
            act(
                    "fn_executor_grant",
                    "(session_user::text, 'needed', 'ann', ARRAY['mark_file'])",
                    "executor_grant",
                    "needed"),
            act(
                    "fn_executor_revoke",
                    "((SELECT login FROM oneroof.v_executor_grant), 'left', 'ann', ARRAY['other'])",
                    "executor_revoke",
                    "left"),
            act("fn_worker_define", "('biller', 'orders', '{id}', 'INSERT', 'ann', 'due')", "worker_add", "due"),
            act(
                    "fn_worker_redefine",
                    "('copier', 'orders', '{id}', 'INSERT', 'ann', 'better')",
                    "worker_alter",
                    "better"),
            act(
                    "fn_worker_undefine",
                    "('copier', 'orders', false, 'ann', 'not needed')",
                    "worker_remove",
                    "not needed"),
            act(
                    "fn_finding_acknowledge",
                    "('cursor_lag', 'reader/orders/0', 'seen', 'ann')",
                    "finding_acknowledge",
                    "seen"),
            act(
                    "fn_finding_mute",
                    "('cursor_lag', 'reader/orders/0', interval '1 hour', 'known', 'ann')",
                    "finding_mute",
                    "known"),
            act("fn_finding_close", "('cursor_lag', 'reader/orders/0', 'seen', 'ann')", "finding_close", "seen"));

    /** Ways to change something that are no function of their own, or not the administrator's. */
    private static final List<Done> MORE = List.of(
            Done.byAdmin(config("value = 'false'", "queue.jobs.enabled"), "gate_close", "a look"),
            Done.byAdmin(config("value = 'true'", "queue.notify.bridge_enabled"), "gate_open", "a look"),
            Done.byAdmin(config("value = '77'", "queue.heartbeat.stale_threshold_seconds"), "setting_change", "a look"),
            Done.byAdmin(
                    "SELECT oneroof.fn_job_kind_register('mark_file', p_max_running => 3, p_actor => 'ann')",
                    "job_kind_register",
                    "changed"),
            Done.byAdmin(
                    "SELECT oneroof.fn_event_type_register('shop', 'bought', 'event', 'normal', 'critical', '', 'ann')",
                    "event_type_register",
                    "changed"),
            new Done(
                    "oneroof_server",
                    "SELECT oneroof.fn_outbox_partitions_drop(interval '90 days', 'ann')",
                    "outbox_partitions_drop",
                    "ended more than 90 days ago"));

    /** They change something, and nothing that an operator decides; each with what records it instead. */
    private static final Map<String, String> NO_ACTS = Map.ofEntries(
            Map.entry("fn_uuid_v7", "changes nothing"),
            Map.entry("fn_job_until_due", "changes nothing"),
            Map.entry("fn_job_schedule_until_due", "changes nothing"),
            Map.entry("fn_job_enqueue", "work, not an act; the job is the record"),
            Map.entry("fn_job_enqueue_many", "work, not an act; the jobs are the record"),
            Map.entry("fn_job_put", "work, not an act; the jobs are the record"),
            Map.entry("fn_iu_emit_event", "work, not an act; the event is the record"),
            Map.entry("fn_iu_emit_events", "work, not an act; the events are the record"),
            Map.entry("fn_finding_raise", "a report; the finding is the record"),
            Map.entry("fn_job_promote", "upkeep by the clock"),
            Map.entry("fn_job_lease_reaper", "upkeep by the clock; the job says by whom"),
            Map.entry("fn_job_schedule_due", "upkeep by the clock"),
            Map.entry("fn_job_schedule_fired", "upkeep by the clock; the schedule counts it"),
            Map.entry("fn_job_dead_letter_check", "upkeep; raises and ends findings"),
            Map.entry(
                    "fn_job_dead_letter_replay_next",
                    "a batch of a run whose start is the act; each letter says by whom"),
            Map.entry("fn_job_partitions_ensure", "upkeep; makes room and loses nothing"),
            Map.entry("fn_queue_stale_check", "upkeep; queue_event_log is the record"),
            Map.entry("fn_queue_heartbeat_tick", "a beat"),
            Map.entry("fn_queue_heartbeat_write", "a beat"));

    @OnEveryServer
    void inItsTransactionWithTheLoginOfTheSession(TestDatabase database) throws SQLException {
        prepare(database);
        SoftAssertions all = new SoftAssertions();
        try (Operator ann = new Operator(database)) {
            for (Done done : ACTS.values()) {
                assertActed(database, ann, done, all);
            }
            for (Done done : MORE) {
                assertActed(database, ann, done, all);
            }
        }
        all.assertAll();
    }

    private static void assertActed(TestDatabase database, Operator ann, Done done, SoftAssertions all)
            throws SQLException {
        long before = database.value(Long.class, "SELECT coalesce(max(act_id), 0) FROM oneroof.operator_act");
        try (Sql sql = ann.as(done.role())) {
            sql.run("BEGIN");
            sql.run(done.statement());
            all.assertThat(sql.list(
                            row -> row.getString(1),
                            "SELECT concat_ws('|', act, actor, reason, db_user, acted_at BETWEEN now() AND clock_timestamp())"
                                    + " FROM oneroof.operator_act WHERE act_id > ? ORDER BY act_id",
                            before))
                    .as(done.statement())
                    .containsExactly(String.join("|", done.act(), "ann", done.reason(), ann.login(), "t"));
            sql.run("ROLLBACK");
        } catch (RuntimeException e) {
            all.fail("%s: %s".formatted(done.statement(), e.getMessage()), e);
        }
        all.assertThat(database.value(Long.class, "SELECT coalesce(max(act_id), 0) FROM oneroof.operator_act"))
                .as("rolled back: " + done.statement())
                .isEqualTo(before);
    }

    /** A new function has to be sorted into one of the two. */
    @OnEveryServer
    void ofAllFunctionsThatAnAdministratorMayCall(TestDatabase database) {
        Set<String> known = new TreeSet<>(ACTS.keySet());
        known.addAll(NO_ACTS.keySet());

        assertThat(new TreeSet<>(database.list(
                        row -> row.getString(1),
                        "SELECT proname FROM pg_proc WHERE pronamespace = 'oneroof'::regnamespace AND provolatile = 'v'"
                                + " AND prorettype <> 'trigger'::regtype"
                                + " AND has_function_privilege('workflow_admin', oid, 'EXECUTE')")))
                .isEqualTo(known);
    }

    /** A process registers at each start what it registered before. */
    @OnEveryServer
    void andWhatIsAsItWasLeavesNone(TestDatabase database) {
        prepare(database);
        long before = database.value(Long.class, "SELECT count(*) FROM oneroof.operator_act");
        for (String again : List.of(
                "fn_job_kind_register('mark_file')",
                "fn_queue_heartbeat_register('agent', 'Agent')",
                "fn_event_type_register('shop', 'bought', 'event', 'normal', 'info', '', 'ann')",
                "fn_event_type_deactivate('shop', 'bought', 'ann', 'not yet')",
                "fn_job_dead_letter_drop(interval '900 days')",
                "fn_job_partitions_drop(interval '9000 days')",
                "fn_outbox_partitions_drop(interval '9000 days')",
                "fn_executor_grant(session_user::text, 'again', p_kinds => ARRAY['other'])",
                "fn_queue_heartbeat_deregister('nobody')",
                "fn_finding_close('cursor_lag', 'nobody/orders/0', 'seen')")) {
            database.run("SELECT oneroof." + again);
        }

        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.operator_act"))
                .isEqualTo(before);
    }

    private static void prepare(TestDatabase database) {
        for (String statement : List.of(
                "UPDATE oneroof.dot_config SET value = 'true' WHERE key IN ('queue.jobs.enabled', 'queue.replay.enabled')",
                "SELECT oneroof.fn_job_kind_register(k) FROM unnest(ARRAY['mark_file', 'other', 'later']) k",
                "SELECT oneroof.fn_job_enqueue('later', p_scheduled_at => now() + interval '1 hour')",
                "SELECT oneroof.fn_job_enqueue(k) FROM unnest(ARRAY['mark_file', 'mark_file', 'other']) k",
                "SELECT oneroof.fn_job_fail(job_id, lease_token, 'IOException', 'gone', p_final => true)"
                        + " FROM oneroof.fn_job_lease(ARRAY['mark_file', 'other'], 10, 'me')",
                "SELECT oneroof.fn_job_dead_letter_triage(dead_letter_id, 'manual_replay', 'once more')"
                        + " FROM oneroof.job_dead_letter",
                "SELECT oneroof.fn_job_dead_letter_replay_start(job_kind, fingerprint, 'ticket 6', 1)"
                        + " FROM oneroof.job_dead_letter WHERE job_kind = 'other'",
                "INSERT INTO oneroof.job_dead_letter SELECT (jsonb_populate_record(d, jsonb_build_object('dead_letter_id',"
                        + " gen_random_uuid(), 'triage_status', 'closed', 'resolved_at', now() - interval '91 days'))).*"
                        + " FROM oneroof.job_dead_letter d WHERE d.job_kind = 'other'",
                "CREATE TABLE oneroof.job_history_20200101 PARTITION OF oneroof.job_history"
                        + " FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')",
                "CREATE TABLE oneroof.event_outbox_202001 PARTITION OF oneroof.event_outbox"
                        + " FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-02-01 00:00+00')",
                "ALTER TABLE oneroof.event_outbox_202001 OWNER TO oneroof_owner",
                "SELECT oneroof.fn_job_schedule_put(s, 'mark_file', NULL, NULL, 60, NULL, now() + interval '1 hour')"
                        + " FROM unnest(ARRAY['tick', 'rests']) s",
                "SELECT oneroof.fn_job_schedule_pause('rests', 'a look')",
                "SELECT oneroof.fn_queue_heartbeat_register('agent', 'Agent')",
                "SELECT oneroof.fn_event_type_register('shop', 'bought', 'event', 'normal', 'info', '', 'ann')",
                "SELECT oneroof.fn_executor_grant(session_user::text, 'needed', p_kinds => ARRAY['other'])",
                "SELECT oneroof.fn_finding_raise('cursor_lag', 'reader/orders/0', 'behind')",
                "INSERT INTO oneroof.tail_source (source_name, relation_schema, relation_name, id_column, id_type, order_contract,"
                        + " registered_by) VALUES ('orders', 'public', 'orders', 'id', 'bigint', 'sequence', 'ann')",
                "SELECT oneroof.fn_worker_define('copier', 'orders', '{id}', 'INSERT', 'ann', 'x')")) {
            database.run(statement);
        }
    }

    private static Map.Entry<String, Done> act(String function, String arguments, String act, String reason) {
        return Map.entry(function, Done.byAdmin("SELECT oneroof." + function + arguments, act, reason));
    }

    private static String config(String change, String key) {
        return "UPDATE oneroof.dot_config SET %s, actor = 'ann', reason = 'a look' WHERE key = '%s'"
                .formatted(change, key);
    }

    private static String later() {
        return "(SELECT job_id FROM oneroof.job_queue WHERE job_kind = 'later')";
    }

    private static String letter() {
        return "(SELECT min(dead_letter_id::text)::uuid FROM oneroof.job_dead_letter WHERE job_kind = 'mark_file')";
    }
}
