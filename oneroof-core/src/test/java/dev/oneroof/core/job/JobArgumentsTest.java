package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is refused is named, with its value and what is allowed, and nothing is done. */
@OneRoofTest
class JobArgumentsTest {
    private static final String ENQUEUE_TWO =
            "SELECT * FROM oneroof.fn_job_enqueue_many(ARRAY['mark_file', 'other'], ARRAY['{}', '{}']::jsonb[], %s)";

    private TestDatabase database;

    @BeforeEach
    void knows(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_kind_register('other')");
    }

    @Test
    void refusesArraysOfAnotherLength() {
        for (String argument : List.of(
                "keys => ARRAY['a', 'b', 'c']",
                "keys => ARRAY['a', NULL, NULL]",
                "priorities => ARRAY[1, 2, 3]",
                "scheduled => ARRAY[now(), now(), now()]",
                "max_attempts => ARRAY[1, 2, 3]",
                "runs => ARRAY[NULL, NULL, gen_random_uuid()]")) {
            String field = argument.substring(0, argument.indexOf(' '));
            assertRefused(
                    ENQUEUE_TWO.formatted("p_" + argument),
                    field + ": there are 3; allowed are as many as there are jobs (2), or none");
        }
        assertRefused(ENQUEUE_TWO.formatted("p_keys => ARRAY['a']"), "keys: there are 1; allowed are as many as");
        assertNoJob();
    }

    @Test
    void refusesAnotherNumberOfPayloads() {
        for (String payloads : List.of("NULL", "'{}'", "ARRAY['{}']::jsonb[]", "ARRAY['{}', '{}', '{}']::jsonb[]")) {
            assertThatThrownBy(() ->
                            database.run("SELECT * FROM oneroof.fn_job_enqueue_many(ARRAY['mark_file', 'other'], %s)"
                                    .formatted(payloads)))
                    .hasMessageContaining("payloads: there are ")
                    .hasMessageContaining("; allowed are as many as there are jobs (2)");
        }
        assertNoJob();
    }

    @Test
    void takesNoneForNone() {
        for (String argument : List.of("p_keys => '{}'", "p_keys => ARRAY[NULL, NULL]", "p_priorities => NULL")) {
            database.run(ENQUEUE_TWO.formatted(argument));
        }
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isEqualTo(6);
    }

    @Test
    void refusesToLeaseFewerThanNone() {
        String lease = "SELECT * FROM oneroof.fn_job_lease(ARRAY%s, 10, 'me', NULL, ARRAY%s)";
        assertRefused(
                lease.formatted("['mark_file', 'other']", "[-1, 1]"),
                "limits: '-1' is not allowed; allowed are 0 and more");
        assertRefused(lease.formatted("['mark_file']", "[-7]"), "limits: '-7' is not allowed; allowed are 0 and more");
        database.run(lease.formatted("['mark_file', 'other']", "[0, NULL]"));
    }

    @Test
    void refusesAnActWithoutWhatOrWhoOrWhy() {
        database.run("SELECT oneroof.fn_job_kind_pause('mark_file', true, 'a look', 'ann')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_scheduled_at => now() + interval '1 hour')");
        String before = acted();

        assertRefused(
                "SELECT oneroof.fn_job_kind_pause('mark_file', NULL, 'x', 'ann')",
                "paused: '' is not allowed; allowed are true, false");
        for (String act : List.of(
                "fn_job_kind_pause('mark_file', false, %s)",
                "fn_job_retry_now((SELECT job_id FROM oneroof.job_queue), %s)",
                "fn_job_cancel((SELECT job_id FROM oneroof.job_queue), %s)")) {
            for (String none : List.of("NULL", "''", "' '")) {
                String call = "SELECT oneroof." + act;
                assertRefused(
                        call.formatted(none + ", 'ann'"),
                        "reason: '' is not allowed; allowed is a text that is not blank");
                assertRefused(
                        call.formatted("'x', " + none),
                        "actor: '' is not allowed; allowed is a text that is not blank");
            }
        }
        assertThat(acted()).isEqualTo(before).isEqualTo("t a look scheduled 1");
    }

    private String acted() {
        return database.value(String.class, """
                SELECT concat_ws(' ', k.paused_at IS NOT NULL, k.pause_reason, q.state,
                                 (SELECT count(*) FROM oneroof.operator_act WHERE actor = 'ann'))
                FROM oneroof.job_kind k
                JOIN oneroof.job_queue q USING (job_kind)
                """);
    }

    private void assertRefused(String call, String message) {
        assertThatThrownBy(() -> database.run(call)).as(call).hasMessageContaining(message);
    }

    private void assertNoJob() {
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isZero();
    }
}
