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

    /** A handler that runs over midnight: its last line is kept as long as its last day. */
    @Test
    void theLastLineIsOfTheDayItWasSaidOn() {
        say(1_001);
        database.run("UPDATE oneroof.job_log SET said_at = said_at - interval '1 day'");
        assertThat(strings("SELECT DISTINCT tableoid::regclass::text LIKE '%default' FROM oneroof.job_log"))
                .containsExactly("t");

        say("next morning", null);

        assertThat(
                        strings(
                                "SELECT line || ' ' || left_out FROM oneroof.job_log WHERE said_at > now() - interval '1 minute'"))
                .containsExactly("next morning 2");
        assertThat(strings("SELECT count(*) FROM oneroof.job_log")).containsExactly("1000");
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
