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
                .contains("WARN  instances          none is running", "OK    gates ", "are closed, as installed")
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
                        "FAIL  instances          pod-7 is dead: its process is gone, frozen or cut off: no beat for ")
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
