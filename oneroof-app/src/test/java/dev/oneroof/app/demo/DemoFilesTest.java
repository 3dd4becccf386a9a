package dev.oneroof.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.schedule.Schedules;
import dev.oneroof.postgres.schema.RoleNames;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.api.Test;

@OneRoofTest
class DemoFilesTest {
    @Test
    void goesOnWithItsScheduleUnlessAnOperatorHasPausedIt(TestDatabase database) {
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one"), database.dataSource())) {
            new DemoRegistry(oneroof.database(), RoleNames.DEFAULT).create(0, 1);
            DemoFiles.addTo(oneroof);
            DemoFiles.leave(oneroof);
        }
        assertThat(isPaused(database)).as("nobody is there to do its jobs").isTrue();
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("two"), database.dataSource())) {
            DemoFiles.addTo(oneroof);
            assertThat(isPaused(database)).as("by the demo alone").isFalse();
            new Schedules(oneroof.database()).pause("recount_files", new OperatorAct("ann", "quiet please"));
            DemoFiles.leave(oneroof);
        }
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("three"), database.dataSource())) {
            DemoFiles.addTo(oneroof);
        }
        assertThat(isPaused(database)).as("by an operator").isTrue();
    }

    private static boolean isPaused(TestDatabase database) {
        return database.value(
                Boolean.class,
                "SELECT paused_at IS NOT NULL FROM oneroof.job_schedule WHERE schedule_name = 'recount_files'");
    }

    @Test
    void givesUpJobsThatNameNoFiles(TestDatabase database) {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one"), database.dataSource())) {
            new DemoRegistry(oneroof.database(), RoleNames.DEFAULT).create(0, 1);
            DemoFiles.addTo(oneroof);
            database.run("INSERT INTO oneroof_demo.manifest (files) VALUES ('{3,4}')");
            database.run("""
                    SELECT oneroof.fn_job_enqueue(j.kind, j.payload::jsonb)
                    FROM (VALUES ('mark_file', '{}'), ('mark_file', '{"manifest_id": 1, "first": 1}'),
                                 ('mark_file', '{"manifest_id": 1, "first": 3, "last": 3}'),
                                 ('mark_file', '{"manifest_id": 1, "first": 1, "last": 2}'),
                                 ('cut_from_manifest', '{"manifest_id": "a"}'),
                                 ('cut_from_manifest', '{"manifest_id": 7}')) j (kind, payload)
                    """);
            oneroof.start();
            Await.patiently()
                    .until(
                            "the jobs to end",
                            () -> database.value(
                                    Boolean.class,
                                    "SELECT count(*) = 6 FROM oneroof.job_history WHERE job_kind <> 'recount_files'"));
        }
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws(' ', job_kind, payload, attempts, last_error) FROM oneroof.job_dead_letter"))
                .containsExactlyInAnyOrder(
                        "mark_file {} 1 payload: no number is given for manifest_id, first, last",
                        "mark_file {\"first\": 1, \"manifest_id\": 1} 1 payload: no number is given for last",
                        "mark_file {\"last\": 3, \"first\": 3, \"manifest_id\": 1} 1 payload: the named files do not exist",
                        "cut_from_manifest {\"manifest_id\": \"a\"} 1 payload: no number is given for manifest_id",
                        "cut_from_manifest {\"manifest_id\": 7} 1 payload: the named manifest does not exist");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof_demo.file_mark"))
                .isEqualTo(2);
    }
}
