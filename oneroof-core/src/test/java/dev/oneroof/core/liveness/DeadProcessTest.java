package dev.oneroof.core.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.fault.PostgresProxy;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Three processes, each with a worker: one is killed, one frozen, one loses the network. Another instance is alive and
 * looks. Acceptance test 5 of the cursor family, for each way to die.
 */
@OneRoofTest
class DeadProcessTest {
    private static final List<String> WORKERS = List.of("killed", "frozen", "cut_off");
    private static final int THRESHOLD = 6;

    @Test
    void acceptance5HeartbeatStopAWorkerAndTheSilentGapFiresWithinTheThresholdRestartClearsIt(
            TestDatabase database, Given given) {
        given.births(5);
        database.run("UPDATE oneroof.dot_config SET value = '%d' WHERE key = 'queue.heartbeat.stale_threshold_seconds'"
                .formatted(THRESHOLD));
        try (OneRoof watcher = OneRoof.open(RuntimeConfig.named("watcher"), database.dataSource());
                PostgresProxy network = PostgresProxy.to(database.address())) {
            watcher.register(TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                    .timedBy("born_at", TimeType.TIMESTAMPTZ));
            watcher.start();
            try (JavaProcess killed = LoneInstance.start(database, database.address(), "killed");
                    JavaProcess frozen = LoneInstance.start(database, database.address(), "frozen");
                    JavaProcess cutOff = LoneInstance.start(database, network.address(), "cut_off")) {
                WORKERS.forEach(worker -> await(database, worker, "quiet"));
                // Ten times this is critical.
                database.run("UPDATE oneroof.queue_heartbeat SET expected_cadence_seconds = 1");
                // A machine so busy that it kept them from beating before anything was done to them.
                database.run("DELETE FROM oneroof.queue_silence");
                database.run("DELETE FROM oneroof.event_outbox");
                database.run("DELETE FROM oneroof.system_issues");
                database.run("DELETE FROM oneroof.queue_event_log");

                killed.kill();
                frozen.pause();
                network.hold();

                WORKERS.forEach(worker -> {
                    Await.patiently()
                            .until(
                                    "an event for " + worker,
                                    () -> !events(database, worker).isEmpty());
                    assertThat(events(database, worker).getFirst()).startsWith("warning ");
                    assertThat(age(database, worker)).isBetween(THRESHOLD, 2 * THRESHOLD);
                });
                WORKERS.forEach(worker -> Await.upTo(Duration.ofSeconds(40))
                        .until(
                                "its growth for " + worker,
                                () -> events(database, worker).size() >= 2));
                WORKERS.forEach(worker -> {
                    assertThat(events(database, worker).get(1)).startsWith("critical ");
                    assertThat(findings(database, worker)).containsExactly("critical open");
                    assertThat(state(database, worker)).isEqualTo("dead");
                });
                long checks = checks(database);
                Await.patiently().until("three more checks", () -> checks(database) > checks + 3);
                WORKERS.forEach(worker -> assertThat(events(database, worker))
                        .as("not one per check")
                        .hasSize(2));

                frozen.resume();
                network.release();
                try (JavaProcess restarted = LoneInstance.start(database, database.address(), "killed")) {
                    WORKERS.forEach(worker -> await(database, worker, "quiet"));
                    WORKERS.forEach(worker -> {
                        // On a busy machine it may be kept from beating once more, while the next one starts.
                        assertThat(findings(database, worker))
                                .as(worker)
                                .startsWith("critical resolved")
                                .allMatch(finding -> finding.endsWith("resolved"));
                        assertThat(gaps(database, worker).getFirst()).isGreaterThanOrEqualTo(10);
                    });
                }
            }
        }
    }

    @Test
    void leavesNothingSilentBehindWhereItsSourceIsRemoved(TestDatabase database, Given given) {
        given.births(5);
        database.run("UPDATE oneroof.dot_config SET value = '3' WHERE key = 'queue.heartbeat.stale_threshold_seconds'");
        try (OneRoof oneroof =
                OneRoof.open(RuntimeConfig.named("one").withLoop(LoneInstance.QUICK), database.dataSource())) {
            oneroof.register(TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                    .timedBy("born_at", TimeType.TIMESTAMPTZ));
            oneroof.tail("killed", "births").eachRow((tx, row) -> {});
            oneroof.start();
            await(database, "killed", "quiet");
        }
        Await.patiently().until("it to be found silent", () -> {
            database.run("SELECT oneroof.fn_queue_stale_check()");
            return findings(database, "killed").equals(List.of("high open"));
        });

        new Sources(new Database(database.dataSource(), SchemaName.DEFAULT)).remove("births", "ann", "no more");

        database.run("SELECT oneroof.fn_queue_stale_check()");
        assertThat(findings(database, "killed")).containsExactly("high resolved");
        assertThat(database.list(row -> row.getString(1), "SELECT executor_name FROM oneroof.v_queue_health"))
                .isEmpty();
    }

    private static void await(TestDatabase database, String worker, String state) {
        Await.upTo(Duration.ofSeconds(40)).until(worker + " " + state, () -> state(database, worker), state::equals);
    }

    private static String state(TestDatabase database, String worker) {
        return database
                .list(
                        row -> row.getString(1),
                        "SELECT state FROM oneroof.v_queue_health WHERE source = 'heartbeat' AND executor_name = '%s/births/0'"
                                .formatted(worker))
                .stream()
                .findFirst()
                .orElse("not there");
    }

    private static List<String> events(TestDatabase database, String worker) {
        return database.list(
                row -> row.getString(1),
                "SELECT event_severity || ' ' || event_stream FROM oneroof.event_outbox WHERE event_type = 'queue_worker_silent'"
                        + " AND event_subject_ref = '%s/births/0' ORDER BY created_at, id".formatted(worker));
    }

    private static int age(TestDatabase database, String worker) {
        return database.value(
                Integer.class,
                "SELECT min((safe_payload->>'age_seconds')::int) FROM oneroof.event_outbox"
                        + " WHERE event_subject_ref = '%s/births/0'".formatted(worker));
    }

    private static List<String> findings(TestDatabase database, String worker) {
        return database.list(
                row -> row.getString(1),
                "SELECT severity || ' ' || status FROM oneroof.system_issues WHERE issue_type = 'cursor_silent_gap'"
                        + " AND coalesce_key = '%s/births/0' ORDER BY issue_id".formatted(worker));
    }

    private static List<Double> gaps(TestDatabase database, String worker) {
        return database.list(
                row -> row.getDouble(1),
                "SELECT gap_seconds FROM oneroof.queue_event_log WHERE transition = 'stale_to_fresh'"
                        + " AND executor_name = '%s/births/0'".formatted(worker));
    }

    private static long checks(TestDatabase database) {
        return database.value(
                Long.class,
                "SELECT ticks_total FROM oneroof.queue_heartbeat WHERE executor_name = 'stale_check/queue_heartbeat/0'");
    }
}
