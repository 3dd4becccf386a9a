package dev.oneroof.core.job.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An instance that runs no jobs maintains those of others. */
@OneRoofTest
class JobKeeperTest {
    private static final LoopConfig QUICK =
            new LoopConfig(Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(50), Duration.ofSeconds(1));

    @Test
    void keepsTheQueueAsSoonAsThereIsAKindAndIsNotSeenBefore(TestDatabase database) {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.start();
            Await.patiently()
                    .until(
                            "a few beats",
                            () -> database.value(
                                    Boolean.class,
                                    "SELECT coalesce(max(ticks_total), 0) > 3 FROM oneroof.queue_heartbeat"
                                            + " WHERE executor_name = 'stale_check/queue_heartbeat/0'"));
            assertThat(keeper(database)).isEmpty();

            // With psql alone: a job whose holder died, one for later, and a schedule.
            try (Sql psql = database.sql()) {
                psql.run("BEGIN");
                psql.run("SELECT oneroof.fn_job_kind_register('mark_file')");
                psql.run("SELECT oneroof.fn_job_enqueue('mark_file', p_max_attempts => 1)");
                psql.run("SELECT * FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'psql')");
                psql.run("UPDATE oneroof.job_queue SET lease_until = now() - interval '1 second'");
                psql.run("SELECT oneroof.fn_job_enqueue('mark_file', '{\"no\": 2}',"
                        + " p_scheduled_at => now() + interval '1 second')");
                psql.run("SELECT oneroof.fn_job_schedule_put('often', 'mark_file', NULL, NULL, 3600, NULL, now())");
                psql.run("COMMIT");
            }

            Await.patiently()
                    .until(
                            "the jobs of the schedule and for later",
                            () -> database.list(
                                    row -> row.getString(1),
                                    "SELECT coalesce(left(idempotency_key, 14), payload::text) FROM oneroof.job_queue"
                                            + " WHERE state = 'queued' ORDER BY 1"),
                            List.of("schedule:often", "{\"no\": 2}")::equals);
            Await.patiently()
                    .until(
                            "a finding for the failed job",
                            () -> database.list(
                                    row -> row.getString(1),
                                    "SELECT coalesce_key FROM oneroof.system_issues WHERE issue_type = 'cursor_dlq'"),
                            List.of("jobs/mark_file")::equals);
            assertThat(keeper(database)).containsExactly("one");
        }
    }

    private static List<String> keeper(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT lease_owner FROM oneroof.queue_heartbeat WHERE executor_name = 'job_keeper/job_queue/0'");
    }
}
