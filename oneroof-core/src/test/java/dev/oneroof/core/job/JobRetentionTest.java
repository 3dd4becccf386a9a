package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.job.worker.JobKeeper;
import dev.oneroof.core.lease.Epoch;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows of a day without a partition, and closed dead letters. */
@OneRoofTest
class JobRetentionTest {
    private static final String ROWS = """
            INSERT INTO oneroof.job_history
                (job_id, job_kind, event_domain, state, priority, scheduled_at, enqueued_at, attempts, max_attempts,
                 finished_at, payload)
            SELECT gen_random_uuid(), 'mark_file', 'cut', 'succeeded', 0, now(), now(), 1, 3, now() - t.ago, '{}'
            FROM (VALUES (interval '3 days'), (interval '9 days'), (interval '40 days')) t (ago), generate_series(1, ?)
            """;

    private static final String DROP = "SELECT oneroof.fn_job_partitions_drop(interval '7 days')";

    @Test
    void endsForRowsOfTheDefaultPartitionsToo(TestDatabase database) {
        database.run(ROWS, 4_000);
        database.run(
                "INSERT INTO oneroof.job_log (job_id, attempt, level, line, said_at)"
                        + " SELECT gen_random_uuid(), 1, 'info', 'x', now() - n * interval '4 days' FROM generate_series(1, 3) n");

        assertThat(dropped(database)).containsExactly("job_history_default", "job_log_default");
        assertThat(left(database)).as("at most five thousand at once").isEqualTo("7000 1");
        assertThat(dropped(database)).containsExactly("job_history_default");
        assertThat(left(database)).isEqualTo("4000 1");
        assertThat(dropped(database)).as("what is left is kept").isEmpty();
    }

    /** By days, as those that have a partition: none of a day goes before the whole day may. */
    @Test
    void endsWithTheDayInUtc(TestDatabase database) {
        // In one transaction, in which it cannot become midnight.
        try (Sql sql = database.sql()) {
            sql.run("BEGIN");
            sql.run(
                    "INSERT INTO oneroof.job_log (job_id, attempt, level, line, said_at)"
                            + " SELECT gen_random_uuid(), 1, 'info', n::text,"
                            + " date_trunc('day', now() - interval '7 days', 'UTC') + n * interval '1 ms' FROM generate_series(-1, 0) n");

            assertThat(sql.list(row -> row.getString(1), DROP)).containsExactly("job_log_default");
            sql.run("COMMIT");
        }
        assertThat(database.list(row -> row.getString(1), "SELECT line FROM oneroof.job_log"))
                .containsExactly("0");
    }

    @Test
    void dropsADayBeforeItLooksAtTheRest(TestDatabase database) {
        database.run(ROWS, 1);
        database.run("CREATE TABLE oneroof.job_history_20200101 PARTITION OF oneroof.job_history"
                + " FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')");

        assertThat(dropped(database)).containsExactly("job_history_20200101");
        assertThat(dropped(database)).containsExactly("job_history_default");
    }

    @Test
    void forgetsClosedLettersSoManyAtATimeAndTheKeeperAllOfThem(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        letters(database, 6_000, "now() - interval '91 days'");
        letters(database, 10, "now() - interval '89 days'");
        letters(database, 10, "NULL");

        assertThat(database.value(Long.class, "SELECT oneroof.fn_job_dead_letter_drop(interval '90 days')"))
                .isEqualTo(5_000);
        assertThat(database.value(Long.class, "SELECT oneroof.fn_job_dead_letter_drop(interval '90 days')"))
                .isEqualTo(1_000);

        letters(database, 11_000, "now() - interval '91 days'");
        JobKeeper keeper = new JobKeeper(new Database(database.dataSource(), SchemaName.DEFAULT));
        keeper.runOnce(new Lease(keeper.spec().scope(), "one", new Epoch(1), Duration.ofSeconds(30)));
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_dead_letter"))
                .isEqualTo(20);
    }

    private static void letters(TestDatabase database, int count, String resolvedAt) {
        database.run("""
                INSERT INTO oneroof.job_dead_letter
                    (dead_letter_id, job_id, job_kind, event_domain, priority, attempts, max_attempts, payload, error_class,
                     last_error, fingerprint, enqueued_at, last_failed_at, triage_status, triaged_by, triaged_at, resolved_at)
                SELECT gen_random_uuid(), gen_random_uuid(), 'mark_file', 'system', 0, 1, 1, '{}', 'x', 'y', 'f', now(), now(),
                       CASE WHEN r.at IS NULL THEN 'new' ELSE 'closed' END, 'ann', now(), r.at
                FROM generate_series(1, %d), (SELECT CAST(%s AS timestamptz)) r (at)
                """.formatted(count, resolvedAt));
    }

    private static List<String> dropped(TestDatabase database) {
        return database.list(row -> row.getString(1), DROP);
    }

    private static String left(TestDatabase database) {
        return database.value(
                String.class,
                "SELECT concat_ws(' ', (SELECT count(*) FROM oneroof.job_history), (SELECT count(*) FROM oneroof.job_log))");
    }
}
