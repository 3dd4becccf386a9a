package dev.oneroof.app.cli.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers and instances as an operator sees them. */
@OneRoofTest
class WorkerCommandTest {
    private static final TailSource BIRTHS = TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
            .timedBy("born_at", TimeType.TIMESTAMPTZ);
    private static final String SWEEP = "gov_backfill_sweep/births";

    @TempDir
    Path folder;

    @Test
    void showsWhoWorksAndDrainsAnInstance(TestDatabase database, Given given) {
        given.birthRegistry();
        Oneroof command = new Oneroof(folder).on(database);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("billing-1"), database.dataSource())) {
            oneroof.register(BIRTHS);
            oneroof.tail("reader", "births").eachRow((tx, row) -> {});
            oneroof.start();
            Await.patiently()
                    .untilAsserted(
                            "it to hold both scopes",
                            () -> assertThat(command.run("instance", "list").out())
                                    .contains("billing-1", "holds 2 scopes"));
            Await.patiently()
                    .untilAsserted(
                            "it to be quiet, in its hands",
                            () -> assertThat(command.run("worker", "show", "reader/births")
                                            .out())
                                    .contains("state         quiet: nothing to do", "held by       billing-1, epoch "));

            assertThat(command.run("worker", "list").out())
                    .contains("WORKER", "reader/births/0", "PG_worker", "billing-1", "stale_check/queue_heartbeat/0");
            assertThat(command.run("worker", "show", "reader/births", "--json").out())
                    .contains("\"lease_owner\":\"billing-1\"", "\"transitions\":[");

            Oneroof.Answer busy = command.run("worker", "run", "reader/births", "--once");
            assertThat(busy.exit()).as("none of ours").isEqualTo(4);
            assertThat(command.run("instance", "drain", "billing-1", "--reason", "an update")
                            .exit())
                    .isZero();
            Await.patiently()
                    .untilAsserted(
                            "it to hold nothing but the check for silence, and to say why",
                            () -> assertThat(command.run("instance", "list", "--json")
                                            .out())
                                    .contains("\"holds\":1,", "\"state\":\"held\"", "an update"));
            assertThat(command.run("instance", "list").out()).contains("held", "an update");
            assertThat(command.run("instance", "drain", "billing-1", "--undo", "--reason", "done")
                            .exit())
                    .isZero();
        }
    }

    @Test
    void runsAWorkerOfItsOwnOnce(TestDatabase database, Given given) {
        given.births(7);
        Oneroof command = new Oneroof(folder).on(database);
        assertThat(command.run("worker", "run", SWEEP, "--once").err()).contains("source: 'births' is not registered");
        database.run("GRANT USAGE ON SCHEMA public TO oneroof_server");
        database.run("GRANT SELECT ON birth_registry TO oneroof_server");
        assertThat(command.run(
                                "source",
                                "add",
                                "births",
                                "--table",
                                "public.birth_registry",
                                "--ts",
                                "born_at",
                                "--id",
                                "id")
                        .exit())
                .isZero();
        Oneroof.Answer closed = command.run("worker", "run", SWEEP, "--once");
        assertThat(closed.exit()).isEqualTo(5);
        assertThat(closed.err()).contains("gate: 'governance.gov_backfill_sweep.enabled' is closed");
        command.run("gate", "open", "governance.gov_backfill_sweep.enabled", "--reason", "a run");

        Oneroof.Answer ran = command.run("worker", "run", SWEEP, "--once", "--json");

        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out()).contains("\"rows\":7", "\"caught_up\":true");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.gov_candidate_state"))
                .isEqualTo(7);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.queue_heartbeat"))
                .as("nobody is to be missed")
                .isZero();
        command.run("worker", "pause", SWEEP, "--reason", "a look");
        Oneroof.Answer paused = command.run("worker", "run", SWEEP, "--once");
        assertThat(paused.exit()).isEqualTo(3);
        assertThat(paused.err()).contains("a look");
    }

    /** A pause belongs to the scope: also to one without a cursor, by its worker's name alone. */
    @Test
    void pausesAWorkerWithoutACursor(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one"), database.dataSource())) {
            oneroof.start();
            Await.patiently()
                    .until(
                            "the check",
                            () -> command.run("worker", "list").out().contains("stale_check"));

            Oneroof.Answer paused = command.run("worker", "pause", "stale_check", "--reason", "a look", "--json");

            assertThat(paused.exit()).as(paused.err()).isZero();
            assertThat(paused.out()).contains("\"worker\":\"stale_check/queue_heartbeat/0\"");
            Await.patiently()
                    .until(
                            "a beat that says so",
                            () -> command.run("worker", "show", "stale_check")
                                    .out()
                                    .contains("a look"));
        }
        assertThat(command.run("worker", "resume", "stale_check", "--reason", "seen")
                        .exit())
                .as("after its scope is gone")
                .isZero();
    }

    @Test
    void tellsInWordsWhatHappenedToAWorker(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        LeaseStore leases = new LeaseStore();
        Scope scope = Scope.of("reader", "births");
        db.useTx(tx -> leases.register(tx, scope, "a", Duration.ofSeconds(5), Duration.ofSeconds(30)));
        db.useTx(tx -> leases.claim(tx, scope, "a", Duration.ofMillis(-1)));
        db.useTx(tx -> leases.claim(tx, scope, "b", Duration.ofMinutes(1)));
        database.run("SELECT oneroof.fn_queue_heartbeat_register('mailer', 'external_worker', '{}', 100, 300, 'ann')");
        database.run(
                "UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '400 s' WHERE executor_name = 'mailer'");
        database.run("SELECT oneroof.fn_queue_stale_check()");
        database.run(
                "UPDATE oneroof.queue_heartbeat SET last_tick_at = now() - interval '1200 s' WHERE executor_name = 'mailer'");
        database.run("SELECT oneroof.fn_queue_stale_check()");
        database.run("SELECT oneroof.fn_queue_heartbeat_tick('mailer', 'external_worker')");
        Oneroof command = new Oneroof(folder).on(database);

        List<String> story =
                command.run("worker", "show", "mailer").out().lines().toList();

        assertThat(story.subList(story.size() - 5, story.size()))
                .satisfiesExactly(
                        line -> assertThat(line).matches("AT +AGO +WHAT +BY"),
                        line -> assertThat(line).matches(".* \\d+ s +beat again, after 20 min  .*"),
                        line -> assertThat(line).contains(" was still silent: no beat for 20 min (critical) "),
                        line -> assertThat(line).contains(" went silent: no beat for 6 min (warning) "),
                        line -> assertThat(line).matches(".* was registered +ann"));
        assertThat(command.run("worker", "show", "reader/births").out())
                .containsPattern("\\d+ s +was taken over from an owner that had not released it +-");
        assertThat(command.run("worker", "show", "reader/births", "--json").out())
                .contains("\"transition\":\"taken_over\",\"severity\":null");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    worker                                        | 2 | missing verb
                    worker show nobody                            | 4 | 'nobody' is not registered
                    worker run gov_backfill_sweep/births          | 2 | --once
                    worker run mailer/births --once               | 4 | no feature and no row declares it
                    worker run gov_backfill_sweep/x --once --within soon | 2 | 'soon' is not a duration
                    worker resume nobody/births --reason x        | 4 | there is no worker and no cursor
                    instance                                      | 2 | missing verb
                    instance drain nobody --reason x              | 4 | no 'nobody' is running
                    instance drain nobody                         | 2 | --reason
                    """)
    void refusesWhatItCannotDo(String line, int exit, String why, TestDatabase database) {
        Oneroof.Answer answer = new Oneroof(folder).on(database).run(line.split(" "));

        assertThat(answer.exit()).as(answer.err()).isEqualTo(exit);
        assertThat(answer.err()).contains(why);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.operator_act"))
                .isZero();
    }
}
