package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A holder that says more than is kept: the beginning stays, and the last line is the last that was said. */
@OneRoofTest
class JobLogTest {
    private TestDatabase database;
    private String job;
    private String token;

    @BeforeEach
    void leases(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        job = database.value(String.class, "SELECT oneroof.fn_job_enqueue('mark_file') ->> 'job_id'");
        token = leased();
    }

    @Test
    void tellsTheLastLineAndTheTruePercentAndHowManyAreLeftOut() {
        say(1_000);
        assertThat(lastRow()).isEqualTo("line 1000  0");
        say("sixty", 60);
        say("an error of no weight", null);
        say("seventy", 70);
        say("the end", null);

        assertThat(strings("SELECT count(*) FROM oneroof.job_log")).containsExactly("1000");
        assertThat(lastRow()).isEqualTo("the end 70 4");
        List<JobReport.Line> lines = new JobReport(new Database(database.dataSource(), SchemaName.DEFAULT))
                .show(new JobId(UUID.fromString(job)))
                .lines();
        assertThat(lines).hasSize(50);
        assertThat(lines.get(48))
                .extracting(JobReport.Line::line, JobReport.Line::leftOut)
                .containsExactly("line 999", 0);
        assertThat(lines.get(49))
                .extracting(JobReport.Line::line, JobReport.Line::percent, JobReport.Line::leftOut)
                .containsExactly("the end", 70, 4);
    }

    @Test
    void beginsAnewWithTheNextAttempt() {
        say(1_002);
        database.run("SELECT oneroof.fn_job_fail('%s', '%s', 'x', 'y', 0)".formatted(job, token));
        database.run("SELECT oneroof.fn_job_promote()");
        token = leased();

        say("again", 5);

        assertThat(lastRow()).isEqualTo("again 5 0");
        assertThat(strings("SELECT max(left_out) FROM oneroof.job_log WHERE attempt = 1"))
                .containsExactly("2");
    }

    /**
     * A handler that runs over midnight: its last line is kept as long as its last day.
     *
     * @param made whether the day before has a partition, as it has where the schema is older than the last midnight
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLastLineIsOfTheDayItWasSaidOn(boolean made) {
        if (made) {
            makeYesterday();
        }
        say(1_001);
        database.run("UPDATE oneroof.job_log SET said_at = now() - interval '1 day'");
        String yesterdays =
                database.value(String.class, "SELECT DISTINCT tableoid::regclass::text FROM oneroof.job_log");

        say("next morning", null);

        assertThat(strings("SELECT line || ' ' || left_out FROM oneroof.job_log WHERE tableoid::regclass::text <> '%s'"
                        .formatted(yesterdays)))
                .containsExactly("next morning 2");
        assertThat(strings("SELECT count(*) FROM oneroof.job_log")).containsExactly("1000");
    }

    private void makeYesterday() {
        database.run("""
                DO $$
                DECLARE
                    v_day timestamp := date_trunc('day', now() AT TIME ZONE 'UTC') - interval '1 day';
                BEGIN
                    EXECUTE format(
                        'CREATE TABLE IF NOT EXISTS oneroof.job_log_%s PARTITION OF oneroof.job_log FOR VALUES FROM (%L) TO (%L)',
                        to_char(v_day, 'YYYYMMDD'), v_day || '+00', v_day + interval '1 day' || '+00');
                END $$""");
    }

    private String leased() {
        return database.value(
                String.class, "SELECT lease_token::text FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'me')");
    }

    private void say(int lines) {
        database.run("SELECT oneroof.fn_job_say('%s', '%s', 'line ' || n) FROM generate_series(1, %d) n"
                .formatted(job, token, lines));
    }

    private void say(String line, @Nullable Integer percent) {
        assertThat(database.value(
                        Boolean.class,
                        "SELECT oneroof.fn_job_say('%s', '%s', '%s', 'info', %s)".formatted(job, token, line, percent)))
                .isTrue();
    }

    private String lastRow() {
        return strings(
                        "SELECT concat(line, ' ', percent, ' ', left_out) FROM oneroof.job_log ORDER BY log_id DESC LIMIT 1")
                .getFirst();
    }

    private List<String> strings(String query) {
        return database.list(row -> row.getString(1), query);
    }
}
