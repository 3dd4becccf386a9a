package dev.oneroof.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.api.Test;

/** An executor in another language is given what it needs and no more: what is granted later is granted here as well. */
@OneRoofTest
class ExecutorRightsTest {
    @Test
    void mayCallTheseFunctionsAndNoOthers(TestDatabase database) {
        assertThat(database.list(row -> row.getString(1), """
                        SELECT p.proname || '/' || p.pronargs
                        FROM pg_proc p
                        WHERE p.pronamespace = 'oneroof'::regnamespace
                          AND has_function_privilege('dot_executor', p.oid, 'EXECUTE')
                        """))
                .containsExactlyInAnyOrder(
                        "fn_candidate_key/3",
                        "fn_gate_open/1",
                        "fn_iu_emit_event/12",
                        "fn_iu_emit_events/1",
                        "fn_job_cancel_wanted/1",
                        "fn_job_complete/2",
                        "fn_job_complete_many/2",
                        "fn_job_dead_letter_check/0",
                        "fn_job_extend/3",
                        "fn_job_fail/6",
                        "fn_job_give_up/3",
                        "fn_job_hand_back/2",
                        "fn_job_hand_back_leased/2",
                        "fn_job_lease/7",
                        "fn_job_lease_reaper/3",
                        "fn_job_say/5",
                        "fn_job_snooze/3",
                        "fn_queue_age/1",
                        "fn_queue_heartbeat_tick/6",
                        "fn_queue_heartbeat_write/3",
                        "fn_queue_notify_enabled/0",
                        "fn_queue_stale_check/0",
                        "fn_queue_stale_threshold/1",
                        "fn_queue_state/9",
                        "fn_queue_watched_seconds/2",
                        "fn_ruleset_version/0",
                        "fn_session_name/1",
                        "fn_setting_number/1",
                        "fn_severity_rank/1",
                        "fn_signal_only/1",
                        "fn_uuid_v7/0");
    }

    @Test
    void mayReadAndWriteNoTable(TestDatabase database) {
        assertThat(database.list(row -> row.getString(1), """
                        SELECT c.relname
                        FROM pg_class c
                        WHERE c.relnamespace = 'oneroof'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S')
                          AND CASE c.relkind
                                  WHEN 'S' THEN has_sequence_privilege('dot_executor', c.oid, 'USAGE, SELECT, UPDATE')
                                  ELSE has_any_column_privilege('dot_executor', c.oid, 'SELECT, INSERT, UPDATE')
                                       OR has_table_privilege('dot_executor', c.oid, 'DELETE, TRUNCATE')
                              END
                        """)).isEmpty();
    }
}
