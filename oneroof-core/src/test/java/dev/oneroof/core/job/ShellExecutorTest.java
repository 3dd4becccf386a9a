package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.PlainStart;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The executor of the documentation: a shell and psql, under a login that has the role {@code dot_executor} and the grants
 * that the documentation names, and nothing more.
 */
@OneRoofTest
class ShellExecutorTest {
    @TempDir
    Path folder;

    private TestDatabase database;
    private String login;

    @BeforeEach
    void begin(TestDatabase given) {
        assumeTrue(
                Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "psql"))),
                "there is no psql here");
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file', p_first_backoff_seconds => 600)");
        login = database.name() + "_shell";
        database.run("CREATE ROLE %s LOGIN PASSWORD 'of-the-test' IN ROLE dot_executor".formatted(login));
        database.run(
                "SELECT oneroof.fn_executor_grant(?, 'marks files', 'ann', ARRAY['mark_file'], ARRAY['shell-*'])",
                login);
    }

    @AfterEach
    void dropLogin() {
        if (login != null) {
            database.run("DROP ROLE " + login);
        }
    }

    @Test
    void leasesWorksAndTellsHowItEnded() throws Exception {
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', '{\"ref\": \"it''s | one\"}')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', '{\"ref\": \"broken\"}')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', '{\"ref\": \"two\"}')");

        Process executor = start(
                "executor.sh", "mark_file", "bash", "-c", "read -r job; echo \"$job\" >>seen; [[ $job != *broken* ]]");

        assertThat(await(executor)).as(output()).isZero();
        assertThat(Files.readAllLines(folder.resolve("seen")))
                .containsExactly("{\"ref\": \"it's | one\"}", "{\"ref\": \"broken\"}", "{\"ref\": \"two\"}");
        assertThat(strings("SELECT state || ' ' || (payload ->> 'ref') FROM oneroof.job_history ORDER BY job_id"))
                .containsExactly("succeeded it's | one", "succeeded two");
        assertThat(strings("SELECT concat_ws(' ', state, attempts, last_error) FROM oneroof.job_queue"))
                .containsExactly("scheduled 1 ExitCode: exit code 1");
    }

    @Test
    void keepsItsLeaseWhileItWorksAndEndsWhatIsCancelled() throws Exception {
        database.run(
                "SELECT oneroof.fn_job_kind_register('mark_file', p_lease_seconds => 3, p_first_backoff_seconds => 600)");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        Process executor = start("executor.sh", "mark_file", "sleep", "600");

        Await.patiently()
                .until(
                        "an extended lease",
                        () -> !strings(
                                        "SELECT job_id::text FROM oneroof.job_queue WHERE lease_until > leased_at + interval '4 seconds'")
                                .isEmpty());
        database.run("SELECT oneroof.fn_job_cancel(job_id, 'not needed', 'ann') FROM oneroof.job_queue");

        assertThat(await(executor)).as(output()).isZero();
        assertThat(strings("SELECT state FROM oneroof.job_history")).containsExactly("cancelled");
    }

    /** A killed executor extends nothing: another one gets its job after a while. */
    @Test
    void killedItLeavesItsJobToOthers() throws Exception {
        database.run(
                "SELECT oneroof.fn_job_kind_register('mark_file', p_lease_seconds => 3, p_first_backoff_seconds => 600)");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        Process executor = start("executor.sh", "mark_file", "sleep", "5");
        Await.patiently()
                .until(
                        "a lease",
                        () -> !strings("SELECT job_id::text FROM oneroof.job_queue WHERE state = 'leased'")
                                .isEmpty());

        executor.destroyForcibly();

        Await.patiently()
                .until(
                        "the job to be taken back",
                        () -> database.value(
                                        Integer.class, "SELECT (oneroof.fn_job_lease_reaper() ->> 'reaped')::integer")
                                == 1);
    }

    /** With what the command has started, and without an attempt being counted. */
    @Test
    void endedInGoodOrderItHandsItsJobBack() throws Exception {
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        Process executor = start(
                "executor.sh", "mark_file", "bash", "-c", "sleep 600 & echo $! >started; mv started grandchild; wait");
        Path grandchild = folder.resolve("grandchild");
        Await.patiently().until("a job that is being done", () -> Files.exists(grandchild));
        long pid = Long.parseLong(Files.readString(grandchild).strip());

        executor.destroy();

        assertThat(await(executor)).as(output()).isEqualTo(143);
        assertThat(strings("SELECT concat_ws(' ', state, attempts, lease_owner) FROM oneroof.job_queue"))
                .containsExactly("queued 0");
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    }

    @Test
    void saysHowItIsUsed() throws Exception {
        assertThat(await(start("executor.sh"))).isEqualTo(2);
        assertThat(output()).contains("usage: executor.sh KIND COMMAND");
        assertThat(await(start("executor.sh", "mark_file"))).isEqualTo(2);
    }

    @Test
    void touchesNoJobWhereItsCommandIsNotThere() throws Exception {
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");

        assertThat(await(start("executor.sh", "mark_file", "no_such_command"))).isEqualTo(2);
        assertThat(output()).contains("there is no command 'no_such_command'");
        assertThat(strings("SELECT concat_ws(' ', state, attempts) FROM oneroof.job_queue"))
                .containsExactly("queued 0");
    }

    @Test
    void seesNoPayloadButThatOfItsLease() throws Exception {
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', '{\"ref\": \"secret\"}')");

        for (String query : List.of(
                "SELECT payload FROM oneroof.job_queue",
                "SELECT * FROM oneroof.v_job",
                "SELECT oneroof.fn_job_enqueue('mark_file')",
                "SELECT oneroof.fn_job_kind_register('other')",
                "SELECT oneroof.fn_job_dead_letter_replay(gen_random_uuid(), 'me')",
                "UPDATE oneroof.dot_config SET value = 'true'")) {
            assertThat(await(psql(query))).as(query).isNotZero();
            assertThat(output()).as(query).contains("permission denied").doesNotContain("secret");
        }
        assertThat(await(psql("SELECT payload FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'shell-me')")))
                .isZero();
        assertThat(output()).contains("{\"ref\": \"secret\"}");
    }

    @Test
    void saysWhatIsNotGrantedAndHowItIs() throws Exception {
        database.run("SELECT oneroof.fn_job_kind_register('pay')");
        database.run("SELECT oneroof.fn_job_enqueue('pay', '{\"ref\": \"secret\"}')");

        assertThat(await(start("executor.sh", "pay", "cat"))).isNotZero();

        assertThat(output())
                .contains("login: '%s' is not granted kind 'pay'; granted is 'mark_file'".formatted(login))
                .contains("oneroof executor grant LOGIN --kind NAME --reason TEXT")
                .doesNotContain("secret");
        assertThat(strings("SELECT concat_ws(' ', state, attempts) FROM oneroof.job_queue"))
                .containsExactly("queued 0");
    }

    private Process psql(String query) throws IOException {
        return start(List.of("psql", "--no-psqlrc", "--tuples-only", "--set=ON_ERROR_STOP=1", "--command", query));
    }

    private Process start(String example, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(Path.of(System.getProperty("oneroof.test.root"), "examples", example)
                        .toString()));
        command.addAll(List.of(arguments));
        return start(command);
    }

    private Process start(List<String> command) throws IOException {
        ProcessBuilder builder = PlainStart.of(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment()
                .putAll(Map.of(
                        "PGHOST", database.address().host(),
                        "PGPORT", Integer.toString(database.address().port()),
                        "PGDATABASE", database.name(),
                        "PGUSER", login,
                        "PGPASSWORD", "of-the-test"));
        return builder.start();
    }

    private static int await(Process process) {
        try {
            Await.upTo(Duration.ofSeconds(60)).until("the end of " + process.info(), () -> !process.isAlive());
            return process.exitValue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }

    private List<String> strings(String query) {
        return database.list(row -> row.getString(1), query);
    }
}
