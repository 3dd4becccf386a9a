package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each check has its evidence, and a command that mends it. */
@OneRoofTest
class DoctorCommandTest {
    @TempDir
    Path folder;

    @Test
    void findsNothingAmissWhereNothingIs(TestDatabase database) {
        Oneroof.Answer answer = new Oneroof(folder).on(database).run("doctor");

        assertThat(answer.exit()).as(answer.out() + answer.err()).isZero();
        assertThat(answer.out())
                .contains("OK    server ", "OK    clock ", "OK    proxy ", "OK    schema ", "OK    connections ")
                .contains("OK    vacuum ", "OK    sources ", "OK    workers ", "OK    findings ")
                .contains(
                        "WARN  instances          none is running",
                        "OK    gates ",
                        "open: queue.heartbeat.enabled; the others")
                .contains("OK    jobs ")
                .doesNotContain("FAIL");
    }

    @Test
    void namesWhatIsAmissAndWhatMendsIt(TestDatabase database, Given given) {
        given.births(3);
        Oneroof command = new Oneroof(folder).on(database);
        database.run("GRANT USAGE ON SCHEMA public TO oneroof_server");
        database.run("GRANT SELECT ON birth_registry TO oneroof_server");
        command.run("source", "add", "births", "--table", "public.birth_registry", "--ts", "born_at", "--id", "id");
        database.run("REVOKE SELECT ON birth_registry FROM oneroof_server");
        database.run("SELECT oneroof.fn_queue_heartbeat_register('mailer', 'external_worker', '{}', 100, 300)");
        database.run("UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '400 s'");
        database.run("SELECT oneroof.fn_queue_stale_check()");
        database.run("ALTER TABLE oneroof.queue_heartbeat SET (autovacuum_enabled = off)");

        Oneroof.Answer answer = command.run("doctor");

        assertThat(answer.exit()).isEqualTo(3);
        assertThat(answer.out())
                .contains("FAIL  sources", "birth_registry", "oneroof source check births")
                .contains("FAIL  workers            mailer is silent: no beat for 4", "oneroof worker show mailer")
                .contains(
                        "WARN  vacuum             queue_heartbeat", "autovacuum off", "VACUUM oneroof.queue_heartbeat")
                .contains("cursor_silent_gap");
        assertThat(command.run("doctor", "--json").out()).contains("\"healthy\":false", "\"level\":\"FAIL\"");
    }

    /** It is closed when OneRoof is installed, and that is right for most of the time. */
    @Test
    void findsAClosedGateOfReplaysInOrder(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        command.run("gate", "open", "queue.replay.enabled", "--reason", "a replay");
        command.run("gate", "close", "queue.replay.enabled", "--reason", "done");

        assertThat(command.run("doctor").out()).contains("OK    gates ").doesNotContain("queue.replay.enabled");
    }

    @Test
    void seesWhatStatusSeesOfJobsAndSchedules(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_scheduled_at => now() - interval '10 minutes')");
        assertThat(command.run("doctor").out())
                .contains("WARN  jobs               kind mark_file: gate queue.jobs.enabled is closed")
                .contains("oneroof gate open queue.jobs.enabled --reason TEXT");

        command.run("gate", "open", "queue.jobs.enabled", "--reason", "go on");
        assertThat(command.run("doctor").out())
                .contains("WARN  jobs               kind mark_file: 1 job of 'mark_file' is due, for 6");
        database.run("SELECT oneroof.fn_job_kind_pause('mark_file', true, 'a look', 'ann')");
        assertThat(command.run("doctor").out())
                .contains("kind mark_file: paused by ann: a look")
                .contains("oneroof job resume mark_file --reason TEXT")
                .doesNotContain("fn_job_kind_pause");

        database.run("SELECT oneroof.fn_job_schedule_put('nights', 'mark_file', NULL, NULL, 3600, NULL,"
                + " now() - interval '1 day')");
        Oneroof.Answer behind = command.run("doctor");
        assertThat(behind.exit()).as(behind.out()).isZero();
        assertThat(behind.out())
                .contains("WARN  jobs               schedule nights: due for 86", "oneroof schedule show nights");
        database.run("SELECT oneroof.fn_job_schedule_stop('nights', version, 'it cannot be fired: zone', 'job_keeper')"
                + " FROM oneroof.job_schedule");
        Oneroof.Answer stuck = command.run("doctor");
        assertThat(stuck.exit()).isEqualTo(3);
        assertThat(stuck.out()).contains("FAIL  jobs               schedule nights: it cannot be fired: zone");
    }

    @Test
    void saysWhatIsMissingFirst(TestDatabase database) {
        database.run("DROP SCHEMA oneroof CASCADE");

        Oneroof.Answer answer = new Oneroof(folder).on(database).run("doctor");

        assertThat(answer.exit()).isEqualTo(3);
        assertThat(answer.out()).contains("FAIL  schema", "oneroof db migrate").doesNotContain("gates");
        Oneroof.Answer away = new Oneroof(folder).run("doctor", "--db", "postgres://nobody@127.0.0.1:1/nowhere");
        assertThat(away.exit()).isEqualTo(69);
    }

    @Test
    void namesGatesThatSomebodyClosedAndInstancesThatAreGone(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        command.run("gate", "close", "queue.heartbeat.enabled", "--reason", "a look");
        assertThat(command.run("doctor").out())
                .contains("gate queue.heartbeat.enabled is closed by ")
                .contains(": a look");
        command.run("gate", "open", "queue.heartbeat.enabled", "--reason", "seen");
        database.run("INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch, last_tick_at) VALUES"
                + " ('instance/pod-7', 'PG_worker', 5, 30, 'pod-7', 'pod-7', now() - interval '1 minute',"
                + " nextval('oneroof.lease_epoch_seq'), now() - interval '1 minute')");

        Oneroof.Answer answer = command.run("doctor");
        assertThat(answer.exit()).isEqualTo(3);
        assertThat(answer.out())
                .contains(
                        "FAIL  instances          pod-7 is dead: its process is gone, frozen or disconnected: no beat for ")
                .contains("oneroof instance forget pod-7 --reason TEXT");
        assertThat(command.run("status").out())
                .startsWith("1 of 1 dead, since ")
                .contains("instance/pod-7");

        assertThat(command.run("instance", "forget", "pod-8", "--reason", "gone")
                        .exit())
                .isEqualTo(4);
        assertThat(command.run("instance", "forget", "pod-7", "--reason", "gone")
                        .exit())
                .isZero();
        assertThat(command.run("instance", "list", "--json").out()).doesNotContain("pod-7");
        assertThat(database.value(
                        String.class, "SELECT target FROM oneroof.operator_act WHERE act = 'instance_forget'"))
                .isEqualTo("pod-7");
    }
}
