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
                .contains("WARN  gates ", "oneroof gate open governance.gov_backfill_sweep.enabled --reason TEXT")
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
}
