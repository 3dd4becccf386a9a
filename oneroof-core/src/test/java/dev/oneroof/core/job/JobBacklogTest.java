package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.api.Test;

@OneRoofTest
class JobBacklogTest {
    /** An urgent job goes first; the age of the others is reported all the same. */
    @Test
    void tellsTheOldestHoweverUrgentTheOthersAre(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_priority => 100)");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_scheduled_at => now() - interval '1 hour')");

        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', queued, oldest_due_at < now() - interval '59 minutes', leased)"
                                + " FROM oneroof.fn_job_backlog('mark_file')"))
                .isEqualTo("2 t 0");
        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', count, status_hint, state) FROM oneroof.v_queue_health"
                                + " WHERE source = 'backlog_job_queue' AND subject = 'mark_file'"))
                .isEqualTo("2 stale held");
        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', queued, oldest_due_at, leased) FROM oneroof.fn_job_backlog('nothing')"))
                .isEqualTo("0 0");
    }

    @Test
    void countsTheFirstTenThousandThatAreForLater(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register(kind) FROM unnest('{busy,rare,none}'::text[]) kind");
        database.run("SELECT oneroof.fn_job_enqueue('none')");
        database.run("SELECT oneroof.fn_job_enqueue('rare', p_scheduled_at => now() + interval '1 hour')"
                + " FROM generate_series(1, 7)");
        database.run(
                "SELECT count(*) FROM oneroof.fn_job_enqueue_many(array_fill('busy'::text, ARRAY[12000]),"
                        + " array_fill('{}'::jsonb, ARRAY[12000]), p_scheduled => array_fill(now() + interval '2 hours', ARRAY[12000]))");

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws(' ', job_kind, scheduled) FROM oneroof.fn_job_later() ORDER BY job_kind"))
                .containsExactly("busy 9993", "rare 7");
    }
}
