package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.fixture.Seeded;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@OneRoofTest
class DemoTest {
    /** Far longer than it takes: several servers begin at once here, on a machine that others use as well. */
    private static final Duration SLOW = Duration.ofMinutes(3);

    @TempDir
    Path folder;

    @Test
    void catchesUpAndPrintsOneJsonObject() {
        Oneroof.Answer answer = new Oneroof(folder).runAsProcess("demo", "--once", "--rows", "2000", "--json");

        assertThat(answer.exit()).as(answer.err()).isZero();
        JsonNode summary = json(answer);
        assertThat(summary.get("births").asLong()).isEqualTo(2000);
        assertThat(summary.get("candidates").asLong()).isEqualTo(2000);
        assertThat(summary.get("caught_up").asBoolean()).isTrue();
        assertThat(summary.get("files").get("files").asLong()).isBetween(100L, 600L);
        assertThat(summary.get("files").get("marked").asLong())
                .isEqualTo(summary.get("files").get("files").asLong());
        assertThat(answer.out().lines()).hasSize(1);
        assertThat(EmbeddedPostgres.running(folder.resolve(".oneroof"))).isEmpty();
    }

    @OnEveryServer
    void runsOnADatabaseOfTheUsers(TestDatabase database) {
        Oneroof.Answer answer = new Oneroof(folder).on(database).run("demo", "--once", "--rows", "500", "--json");

        assertThat(answer.exit()).as(answer.err()).isZero();
        assertThat(json(answer).get("candidates").asLong()).isEqualTo(500);
        assertThat(folder.resolve(".oneroof")).doesNotExist();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof_demo.birth_registry"))
                .isEqualTo(500);
        Oneroof.Answer status = new Oneroof(folder).on(database).run("db", "status");
        assertThat(status.exit()).isZero();
        assertThat(status.out()).contains("state      current");
    }

    @Test
    void makesTheSameRegistryOfTheSameSeed(TestDatabase first) {
        String rows =
                "SELECT md5(string_agg(concat_ws('|', collection_name, entity_code, source_system, actor_ref), ','"
                        + " ORDER BY entity_code)) FROM oneroof_demo.birth_registry";
        new Oneroof(folder).on(first).run("demo", "--once", "--rows", "700", "--seed", "5");
        String once = first.value(String.class, rows);
        first.run("DROP SCHEMA oneroof_demo CASCADE");
        new Oneroof(folder).on(first).run("demo", "--once", "--rows", "700", "--seed", "5");
        assertThat(first.value(String.class, rows)).isEqualTo(once);
        first.run("DROP SCHEMA oneroof_demo CASCADE");
        new Oneroof(folder).on(first).run("demo", "--once", "--rows", "700", "--seed", "6");
        assertThat(first.value(String.class, rows)).isNotEqualTo(once);
    }

    @Test
    void refusesAnotherSeedThanTheRegistryWasFilledWith(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        assertThat(command.run("demo", "--once", "--rows", "10", "--seed", "5").exit())
                .isZero();

        Oneroof.Answer answer = command.run("demo", "--once", "--rows", "10", "--seed", "6");

        assertThat(answer.exit()).isEqualTo(5);
        assertThat(answer.err()).contains("filled with seed 5");
    }

    @Test
    void addsToARegistryThatIsTooSmall(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        command.run("demo", "--once", "--rows", "100");

        JsonNode summary = json(command.run("demo", "--once", "--rows", "150", "--json"));

        assertThat(summary.get("births").asLong()).isEqualTo(150);
        assertThat(summary.get("candidates").asLong()).isEqualTo(150);
    }

    @Test
    void goesOnAfterAnyNumberOfKills(Seeded random) {
        Oneroof command = new Oneroof(folder);
        command.runAsProcess("demo", "--once", "--rows", "10");
        for (int kill = 0; kill < 5; kill++) {
            try (JavaProcess process = command.start("demo", "--rows", "200000", "--births-per-second", "1000")) {
                process.err().await(line -> line.contains("registry and schema are in"), SLOW);
                Await.pause(Duration.ofMillis(random.between(200, 2500)));
                process.kill();
            }
        }

        Oneroof.Answer answer = command.runAsProcess("demo", "--once", "--rows", "200000", "--json");

        assertThat(answer.exit()).as(answer.err()).isZero();
        JsonNode summary = json(answer);
        long births = summary.get("births").asLong();
        assertThat(births).isGreaterThanOrEqualTo(200_000);
        assertThat(summary.get("candidates").asLong()).isEqualTo(births);
        // Every birth was seen once: neither missed nor counted again by a batch that had been committed before.
        assertThat(summary.get("worker").get("rows_seen").asLong()).isEqualTo(births);
        assertThat(summary.get("worker").get("effects_written").asLong()).isEqualTo(births);
        // Every file was marked by a job, and once: the table refuses a second mark.
        assertThat(summary.get("files").get("marked").asLong())
                .isEqualTo(summary.get("files").get("files").asLong());
    }

    @Test
    void leavesNoProcessBehindWhenItIsInterrupted() {
        try (JavaProcess process = new Oneroof(folder).start("demo", "--rows", "1000")) {
            process.err().await(line -> line.contains("births in the registry"), SLOW);
            Await.patiently()
                    .until(
                            "a server",
                            () -> EmbeddedPostgres.running(folder.resolve(".oneroof"))
                                    .isPresent());
            Set<ProcessHandle> before = serversOf(folder);
            assertThat(before).isNotEmpty();

            process.interrupt();

            assertThat(process.awaitExit(SLOW)).isEqualTo(130);
            assertThat(serversOf(folder)).isEmpty();
            assertThat(process.out().whole()).contains("candidates");
        }
    }

    @Test
    void closesTheGateThatItOpened(TestDatabase database) {
        new Oneroof(folder).on(database).run("demo", "--once", "--rows", "10");

        assertThat(database.value(
                        Boolean.class, "SELECT oneroof.fn_gate_open('governance.gov_backfill_sweep.enabled')"))
                .isFalse();
        assertThat(database.value(Boolean.class, "SELECT oneroof.fn_gate_open('queue.jobs.enabled')"))
                .isFalse();
        assertThat(database.value(Boolean.class, "SELECT bool_and(paused_at IS NOT NULL) FROM oneroof.job_schedule"))
                .isTrue();
    }

    /** The next one takes what it opened for its own. */
    @Test
    void closesTheGatesThatAKilledOneHasLeftOpen(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        try (JavaProcess process = command.start("demo", "--rows", "10")) {
            process.err().await(line -> line.contains("caught up"), SLOW);
            process.kill();
        }
        assertThat(openGates(database)).contains("queue.jobs.enabled", "governance.gov_backfill_sweep.enabled");
        String before = database.value(
                String.class, "SELECT expires_at::text FROM oneroof.dot_config WHERE key = 'queue.jobs.enabled'");

        Oneroof.Answer next = command.run("demo", "--once", "--rows", "10");

        assertThat(next.exit()).as(next.err()).isZero();
        assertThat(next.err()).contains("opening gate queue.jobs.enabled while the demo runs");
        assertThat(openGates(database)).containsExactly("queue.heartbeat.enabled");
        assertThat(database.value(
                        Boolean.class,
                        "SELECT bool_or(new_expires_at > CAST(? AS timestamptz)) FROM oneroof.dot_config_audit"
                                + " WHERE key = 'queue.jobs.enabled'",
                        before))
                .as("renewed when it began")
                .isTrue();
    }

    @Test
    void leavesAGateAloneThatAnOperatorHasSetMeanwhile(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        try (JavaProcess process = command.start("demo", "--rows", "10")) {
            process.err().await(line -> line.contains("caught up"), SLOW);
            command.run("gate", "open", "queue.jobs.enabled", "--reason", "mine");
            process.terminate();
            assertThat(process.awaitExit(SLOW)).isEqualTo(143);
        }

        assertThat(openGates(database)).containsExactlyInAnyOrder("queue.heartbeat.enabled", "queue.jobs.enabled");
    }

    /** They are of the same kinds, and yet not of its files. */
    @Test
    void waitsForNoJobsButItsOwn(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        assertThat(command.run("demo", "--once", "--rows", "600").exit()).isZero();
        assertThat(command.run("job", "enqueue", "mark_file", "--in", "2h").exit())
                .isZero();

        Oneroof.Answer again = command.run("demo", "--once", "--rows", "600", "--json");

        assertThat(again.exit()).as(again.err()).isZero();
        assertThat(json(again).get("caught_up").asBoolean()).isTrue();
        assertThat(json(again).get("files").get("jobs").asLong()).isZero();
    }

    /** A job that somebody has cancelled marks nothing: that is told, and not waited for without a word. */
    @Test
    void saysWhatItWaitsFor(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        assertThat(command.run("demo", "--once", "--rows", "600").exit()).isZero();
        database.run("DELETE FROM oneroof_demo.file_mark");

        try (JavaProcess process = command.start("demo", "--once", "--rows", "600")) {
            assertThat(process.err().await(line -> line.contains("files are not marked yet"), Duration.ofSeconds(90)))
                    .contains("and no job of theirs is alive", "'oneroof dlq list'");
            process.terminate();
            assertThat(process.awaitExit(SLOW)).isEqualTo(143);
            assertThat(process.out().whole()).contains("not caught up yet", " files, 0 of them marked by jobs");
        }
    }

    private static List<String> openGates(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT key FROM oneroof.dot_config WHERE kind = 'gate' AND oneroof.fn_gate_open(key)");
    }

    @Test
    void leavesAGateOpenThatWasOpenBefore(TestDatabase database) {
        database.run(
                "UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'governance.gov_backfill_sweep.enabled'");

        new Oneroof(folder).on(database).run("demo", "--once", "--rows", "10");

        assertThat(database.value(
                        Boolean.class, "SELECT oneroof.fn_gate_open('governance.gov_backfill_sweep.enabled')"))
                .isTrue();
    }

    @Test
    void leavesADatabaseAloneThatOnlyTheEnvironmentNames(TestDatabase database) {
        Oneroof.Answer answer = new Oneroof(folder)
                .with("DATABASE_URL", Oneroof.url(database, database.address().user()))
                .with("PGPASSWORD", database.address().password())
                .run("demo", "--once", "--rows", "10");

        assertThat(answer.exit()).as(answer.err()).isZero();
        assertThat(database.value(Long.class, "SELECT count(*) FROM pg_namespace WHERE nspname = 'oneroof_demo'"))
                .isZero();
    }

    @Test
    void takesOverFromAnInstanceThatIsFrozenInTheMiddleOfABatch(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database).with("ONEROOF_WORKER_LEASE_SECONDS", "10");
        try (JavaProcess frozen = command.start("demo", "--once", "--rows", "400000")) {
            Await.upTo(SLOW)
                    .until(
                            "a batch in the middle of the sweep",
                            () ->
                                    database
                                            .list(
                                                    row -> row.getLong(1),
                                                    "SELECT events_seen FROM oneroof.gov_worker_cursor")
                                            .stream()
                                            .anyMatch(seen -> seen > 20_000));
            frozen.pause();

            Oneroof.Answer answer = command.runAsProcess("demo", "--once", "--rows", "400000", "--json");

            assertThat(answer.exit()).as(answer.err()).isZero();
            assertThat(json(answer).get("candidates").asLong()).isEqualTo(400_000);
            assertThat(json(answer).get("worker").get("rows_seen").asLong()).isEqualTo(400_000);
            frozen.resume();
            frozen.awaitExit(Duration.ofSeconds(90));
        }
        assertThat(database.value(
                        Long.class,
                        "SELECT events_seen FROM oneroof.gov_worker_cursor WHERE worker_name = 'gov_backfill_sweep'"))
                .isEqualTo(400_000);
    }

    @Test
    void worksInALocaleWithDigitsOfItsOwn() {
        Oneroof.Answer answer = new Oneroof(folder)
                .with("JAVA_TOOL_OPTIONS", "-Duser.language=ar -Duser.country=EG")
                .runAsProcess("demo", "--once", "--rows", "6000", "--json");

        assertThat(answer.exit()).as(answer.err()).isZero();
        assertThat(json(answer).get("candidates").asLong()).isEqualTo(6000);
    }

    @Test
    void drainsOnSigtermAndGivesItsLeaseBack(TestDatabase database) {
        try (JavaProcess process =
                new Oneroof(folder).on(database).start("demo", "--rows", "1000", "--births-per-second", "500")) {
            Await.upTo(SLOW)
                    .until(
                            "an owner",
                            () -> !database.list(
                                            row -> row.getString(1),
                                            "SELECT lease_owner FROM oneroof.queue_heartbeat WHERE lease_owner IS NOT NULL")
                                    .isEmpty());

            process.terminate();

            assertThat(process.awaitExit(SLOW)).isEqualTo(143);
        }
        assertThat(database.list(row -> row.getString(1), "SELECT lease_owner FROM oneroof.queue_heartbeat"))
                .containsOnlyNulls();
    }

    @Test
    void goesOnWhereItsConnectionsAreGone(TestDatabase database) {
        String ended = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%birth_registry%'";
        try (JavaProcess process =
                new Oneroof(folder).on(database).start("demo", "--rows", "100", "--births-per-second", "200")) {
            process.err().await(line -> line.contains("caught up"), SLOW);
            Await.patiently().until("a session to end", () -> database.value(Long.class, ended) > 0);
            Await.patiently().until("another one", () -> database.value(Long.class, ended) > 0);
            long born = births(database);

            Await.patiently().until("more births", () -> births(database) > born + 100);

            process.terminate();
            assertThat(process.awaitExit(SLOW)).isEqualTo(143);
        }
    }

    private static long births(TestDatabase database) {
        return database.value(Long.class, "SELECT count(*) FROM oneroof_demo.birth_registry");
    }

    @Test
    void letsOtherCommandsUseTheServerThatItRuns() {
        try (JavaProcess process = new Oneroof(folder).start("demo", "--rows", "100")) {
            process.err().await(line -> line.contains("births in the registry"), SLOW);

            Oneroof.Answer status = new Oneroof(folder).run("db", "status", "--json");

            assertThat(status.exit()).as(status.err()).isZero();
            assertThat(json(status).get("state").asString()).isEqualTo("current");
            process.terminate();
            process.awaitExit(SLOW);
        }
    }

    private static JsonNode json(Oneroof.Answer answer) {
        return JsonMapper.builder().build().readTree(answer.out());
    }

    /** The servers whose command line names this folder. */
    private static Set<ProcessHandle> serversOf(Path folder) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .commandLine()
                        .filter(line -> line.contains("postgres") && line.contains(folder.toString()))
                        .isPresent())
                .collect(Collectors.toSet());
    }
}
