package dev.oneroof.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A pool of the program that OneRoof is part of, whose connections commit only when they are told to. */
@OneRoofTest
class UsersPoolTest {
    private static final LoopConfig QUICK =
            new LoopConfig(Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(50), Duration.ofSeconds(1));

    @Test
    void beatsLeasesAndEndsJobsOnConnectionsThatDoNotCommitByThemselves(TestDatabase database) {
        database.run(
                "UPDATE oneroof.dot_config SET value = 'true' WHERE key IN ('queue.jobs.enabled', 'queue.notify.bridge_enabled')");
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config);
                OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), pool)) {
            oneroof.work(JobKind.named("mark_file")).each(job -> Outcome.done());
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            Await.patiently()
                    .until(
                            "it to listen",
                            () -> database.value(
                                    Boolean.class,
                                    "SELECT EXISTS (SELECT FROM oneroof.queue_heartbeat"
                                            + " WHERE last_beat_payload ->> 'wake_ups' = 'listening')"));
            // Taken where it is heard of.
            database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            Await.patiently()
                    .until(
                            "the jobs to have ended, and beats of worker and instance",
                            () -> database.value(
                                    Boolean.class,
                                    "SELECT 2 = (SELECT count(*) FROM oneroof.job_history)"
                                            + " AND 2 = (SELECT count(*) FROM oneroof.queue_heartbeat"
                                            + " WHERE executor_name IN ('jobs/one/0', 'instance/one')"
                                            + " AND ticks_total > 1)"));
        }
        assertThat(database.value(Integer.class, "SELECT max(attempts) FROM oneroof.job_history"))
                .isEqualTo(1);
    }
}
