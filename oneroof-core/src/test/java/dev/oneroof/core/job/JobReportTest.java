package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@OneRoofTest
class JobReportTest {
    @Test
    void endsALookThatTakesTooLong(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        JobReport report =
                new JobReport(new Database(database.dataSource(), SchemaName.DEFAULT), Duration.ofSeconds(1));
        try (Sql other = database.sql()) {
            other.run("BEGIN");
            other.run("LOCK TABLE oneroof.job_history IN ACCESS EXCLUSIVE MODE");
            assertThatThrownBy(() -> report.list("mark_file", null, null, 10))
                    .hasMessage("job list: reading all jobs took longer than 1 s; a state (failed, cancelled,"
                            + " leased) narrows it");
            other.run("ROLLBACK");
        }
        assertThat(report.list("mark_file", null, null, 10)).isEmpty();
    }

    @Test
    void listsByStateWhatIsAliveAndWhatHasEnded(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 3)");
        database.run(
                "SELECT oneroof.fn_job_cancel(job_id, 'x', 'ann') FROM (SELECT job_id FROM oneroof.job_queue LIMIT 2) q");
        JobReport report = new JobReport(new Database(database.dataSource(), SchemaName.DEFAULT));

        assertThat(report.list(null, JobState.QUEUED, null, 10)).hasSize(1);
        assertThat(report.list("mark_file", JobState.CANCELLED, null, 10)).hasSize(2);
        assertThat(report.list(null, null, null, 10)).hasSize(3);
        assertThat(report.list(null, JobState.FAILED, null, 10)).isEmpty();
    }
}
