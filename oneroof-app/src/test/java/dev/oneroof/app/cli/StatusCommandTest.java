package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@OneRoofTest
class StatusCommandTest {
    @TempDir
    Path folder;

    @Test
    void saysInOneLineWhatIsWrongAndSinceWhen(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        assertThat(command.run("status").out()).startsWith("nothing is registered");

        database.run("SELECT oneroof.fn_queue_heartbeat_register('mailer', 'external_worker')");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('sorter', 'external_worker', '{}', 100, 300)");
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('sorter', 'external_worker')");
        Oneroof.Answer well = command.run("status");
        assertThat(well.exit()).as(well.err()).isZero();
        assertThat(well.out()).startsWith("all is well: 2 executors").contains("mailer", "sorter", "quiet");

        database.run(
                "UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '400 s' WHERE executor_name = 'sorter'");
        Oneroof.Answer silent = command.run("status");
        assertThat(silent.exit()).isEqualTo(3);
        assertThat(silent.out().lines().findFirst().orElse(""))
                .matches("1 of 2 silent, since [678] min: sorter, no beat for 4\\d\\d s");
        Oneroof.Answer json = command.run("status", "--json");
        assertThat(json.exit()).isEqualTo(3);
        assertThat(json.out())
                .startsWith("{\"verdict\":\"1 of 2 silent, since ")
                .contains("\",\"state\":\"silent\",\"healthy\":false,\"lines\":[")
                .contains("\"status_hint\":\"stale\"");

        assertThat(command.run("gate", "close", "queue.heartbeat.enabled", "--reason", "repairs")
                        .exit())
                .isZero();
        Oneroof.Answer unwatched = command.run("status");
        assertThat(unwatched.exit()).isZero();
        assertThat(unwatched.out()).startsWith("2 of 2 unwatched").contains("gate queue.heartbeat.enabled is closed");
    }

    @Test
    void tellsOfCursorsThatHaveNoWorkerAndOfDeadLetters(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        database.run(
                "INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name) VALUES ('reader', 'event_outbox')");
        Oneroof.Answer alone = command.run("status");
        assertThat(alone.exit()).as("after a run by hand it is as it should be").isZero();
        assertThat(alone.out())
                .startsWith("nothing is registered; 1 cursor has no worker\n")
                .containsPattern("reader +silent +\\d+ s +never +no worker is registered for it");

        database.run(
                "INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name) VALUES ('sorter', 'event_outbox')");
        database.run("INSERT INTO oneroof.event_pending (purpose, worker_name, source_name, key_id, error_count,"
                + " dead_lettered_at) VALUES ('retry', 'sorter', 'event_outbox', '3', 5, now())");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('mailer', 'external_worker')");
        Oneroof.Answer json = command.run("status", "--json");
        assertThat(json.exit()).as(json.err()).isZero();
        assertThat(json.out())
                .startsWith("{\"verdict\":\"all is well: 1 executor; 1 dead letter waits; 2 cursors have no worker\","
                        + "\"state\":\"well\",\"healthy\":true,");
    }

    @Test
    void opensAndClosesGatesWithWhoAndWhy(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        String key = "governance.gov_backfill_sweep.enabled";
        assertThat(command.run("gate", "list").out()).contains(key, "closed", "queue.heartbeat.enabled", "open");

        Oneroof.Answer opened = command.run("gate", "open", key, "--reason", "a trial", "--for", "2h", "--json");
        assertThat(opened.exit()).as(opened.err()).isZero();
        assertThat(opened.out()).contains("\"open\":true");
        assertThat(database.value(Boolean.class, "SELECT oneroof.fn_gate_open('%s')".formatted(key)))
                .isTrue();
        assertThat(command.run("gate", "list", "--json").out()).contains("\"reason\":\"a trial\"");

        assertThat(command.run("gate", "close", key, "--reason", "enough").exit())
                .isZero();
        assertThat(database.value(Boolean.class, "SELECT oneroof.fn_gate_open('%s')".formatted(key)))
                .isFalse();
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT reason FROM oneroof.dot_config_audit WHERE key = '%s' ORDER BY audit_id DESC LIMIT 2"
                                .formatted(key)))
                .containsExactly("enough", "a trial");
        Oneroof.Answer unknown = command.run("gate", "open", "no.such", "--reason", "x");
        assertThat(unknown.exit()).isEqualTo(4);
        assertThat(unknown.err()).contains("gate: 'no.such' does not exist");
        assertThat(command.run("gate", "open", key).exit()).as("no reason").isEqualTo(2);
        assertThat(command.run("gate").exit()).isEqualTo(2);
        assertThat(command.run("gate", "open", "queue.replay.enable", "--reason", "x")
                        .err())
                .contains("gate: 'queue.replay.enable' does not exist; did you mean 'queue.replay.enabled'?");
        assertThat(command.run("gate", "close", "queue.jobs.enable", "--reason", "x")
                        .err())
                .contains("did you mean 'queue.jobs.enabled'?");
    }

    @Test
    void namesTheNextStepWhereNoWorkerHasRun(TestDatabase database, Given given) {
        Oneroof command = new Oneroof(folder).on(database);
        assertThat(command.run("status").out())
                .startsWith("nothing is registered: no worker has ever run here; 'oneroof source add' ");
        given.births(3);
        database.run("GRANT SELECT ON birth_registry TO oneroof_server");
        command.run("source", "add", "births", "--table", "public.birth_registry", "--ts", "born_at", "--id", "id");

        assertThat(command.run("status").out())
                .startsWith("no worker has ever run here; 1 source is registered (births); ")
                .contains("'oneroof worker add' adds a worker, 'oneroof up' runs it");
    }

    @Test
    void tellsSinceWhenAClosedGateKeepsJobs(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_scheduled_at => now() - interval '10 minutes')");

        assertThat(new Oneroof(folder).on(database).run("status").out())
                .startsWith("1 of 1 held, since 10 min: kind mark_file, gate queue.jobs.enabled is closed")
                .as("a kind has no beat")
                .containsPattern("kind mark_file +held +10 min +- +gate queue.jobs.enabled is closed");
    }

    /** Where the library would read a file of arguments. */
    @Test
    void takesAWordThatBeginsWithAnAtAsItIs(TestDatabase database) throws IOException {
        Path file = Files.writeString(folder.resolve("reason"), "another");
        Oneroof command = new Oneroof(folder).on(database);

        Oneroof.Answer closed = command.run("gate", "close", "queue.heartbeat.enabled", "--reason", "@" + file);

        assertThat(closed.exit()).as(closed.err()).isZero();
        assertThat(database.value(
                        String.class, "SELECT reason FROM oneroof.dot_config WHERE key = 'queue.heartbeat.enabled'"))
                .isEqualTo("@" + file);
    }

    @Test
    void showsTheHelpOfAnyCommand() {
        Oneroof command = new Oneroof(folder);
        assertThat(command.run("help", "job", "enqueue").out())
                .isEqualTo(command.run("job", "enqueue", "--help").out())
                .contains("--payload");
        assertThat(command.run("help").out())
                .isEqualTo(command.run("--help").out())
                .contains("doctor");
        Oneroof.Answer unknown = command.run("help", "job", "enqeue");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.err()).contains("unknown command 'enqeue'; did you mean 'enqueue'?");
    }

    @Test
    void tellsOfKindsWhoseJobsWait(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('mailer', 'external_worker')");
        assertThat(command.run("status").out()).startsWith("all is well: 1 executor\n");

        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_scheduled_at => now() - interval '10 minutes')");
        assertThat(command.run("status").out())
                .startsWith("1 of 2 behind, since 10 min: kind mark_file, 1 job of 'mark_file' is due, for 6");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_scheduled_at => now() - interval '10 minutes')"
                + " FROM generate_series(1, 2)");
        assertThat(command.run("status").out())
                .startsWith(
                        "1 of 2 behind, since 10 min: kind mark_file, 3 jobs of 'mark_file' are due, the first for 6");
        database.run("SELECT oneroof.fn_job_kind_pause('mark_file', true, 'a look', 'ann')");
        assertThat(command.run("status").out())
                .startsWith("1 of 2 held")
                .contains("kind mark_file, paused by ann: a look");
    }

    @Test
    void tellsOfSchedulesThatCannotBeFiredAndThatNobodyFires(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('mailer', 'external_worker')");
        database.run(
                "SELECT oneroof.fn_job_schedule_put(n, 'mark_file', NULL, NULL, 3600, NULL, now() - interval '1 day')"
                        + " FROM unnest('{nights,mine}'::text[]) n");
        // Who paused it wants it so.
        database.run("SELECT oneroof.fn_job_schedule_pause('mine', 'not now', 'ann')");
        Oneroof.Answer behind = command.run("status");
        assertThat(behind.exit()).isZero();
        assertThat(behind.out())
                .startsWith("1 of 2 behind, since 24 h: schedule nights, due for 86")
                .as("a schedule has no beat, when it was fired or not")
                .containsPattern("schedule nights +behind +24 h +- +due for 86");
        database.run("UPDATE oneroof.job_schedule SET last_fired_at = now() - interval '2 days'");
        assertThat(command.run("status").out())
                .containsPattern("schedule nights +behind +24 h +- +due for 86")
                .doesNotContain("mine");

        database.run("SELECT oneroof.fn_job_schedule_stop('nights', version, 'it cannot be fired: zone', 'job_keeper')"
                + " FROM oneroof.job_schedule WHERE schedule_name = 'nights'");
        Oneroof.Answer stuck = command.run("status");
        assertThat(stuck.exit()).isEqualTo(3);
        assertThat(stuck.out())
                .startsWith("1 of 2 stuck, since ")
                .contains(": schedule nights, it cannot be fired: zone\n")
                .doesNotContain("mine");
    }
}
