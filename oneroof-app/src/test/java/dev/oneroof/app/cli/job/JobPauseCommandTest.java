package dev.oneroof.app.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@OneRoofTest
class JobPauseCommandTest {
    private static final String LEASED = "SELECT count(*) FROM oneroof.fn_job_lease(ARRAY['mark_file'], 10, 'me')";

    private static final String ACTS = "SELECT concat_ws(' ', act, target, actor, reason) FROM oneroof.operator_act"
            + " WHERE act IN ('job_kind_pause', 'job_kind_resume') ORDER BY act_id";

    @TempDir
    Path folder;

    private TestDatabase database;
    private Oneroof command;

    @BeforeEach
    void hasAJobThatIsDue(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        command = new Oneroof(folder).on(database);
    }

    @Test
    void pausesAKindUntilItIsResumed() {
        assertDone(command.run("job", "pause", "mark_file", "--reason", "a look"), "mark_file is paused");
        assertThat(command.run("job", "kinds").out())
                .contains("by %s: a look".formatted(System.getProperty("user.name")));
        assertThat(database.value(Long.class, LEASED)).isZero();

        assertDone(command.run("job", "resume", "mark_file", "--reason", "seen"), "mark_file is resumed");
        assertThat(command.run("job", "kinds").out()).doesNotContain("a look");
        assertThat(database.value(Long.class, LEASED)).isOne();
        String actor = System.getProperty("user.name");
        assertThat(database.list(row -> row.getString(1), ACTS))
                .containsExactly(
                        "job_kind_pause kind mark_file %s a look".formatted(actor),
                        "job_kind_resume kind mark_file %s seen".formatted(actor));
    }

    @Test
    void changesNothingWhereItIsSoAlready() {
        assertDone(command.run("job", "resume", "mark_file", "--reason", "x"), "mark_file is not paused");
        assertThat(database.list(row -> row.getString(1), ACTS)).isEmpty();

        database.run("SELECT oneroof.fn_job_kind_pause('mark_file', true, 'a look', 'ann')");
        assertDone(
                command.run("job", "pause", "mark_file", "--reason", "another"),
                "mark_file is paused already, by ann: a look; the new reason is not recorded");
        assertThat(database.value(String.class, "SELECT pause_reason FROM oneroof.job_kind"))
                .isEqualTo("a look");
        assertThat(database.list(row -> row.getString(1), ACTS)).hasSize(1);
    }

    @Test
    void answersAProgramWithAnObject() {
        assertThat(command.run("job", "pause", "mark_file", "--reason", "x", "--json")
                        .out())
                .isEqualTo("{\"kind\":\"mark_file\",\"done\":\"paused\"}\n");
        assertThat(command.run("job", "pause", "mark_file", "--reason", "y", "--json")
                        .out())
                .isEqualTo(
                        "{\"kind\":\"mark_file\",\"done\":\"paused already\",\"pause_actor\":\"%s\",\"pause_reason\":\"x\"}\n"
                                .formatted(System.getProperty("user.name")));
        assertThat(command.run("job", "resume", "mark_file", "--reason", "x", "--json")
                        .out())
                .isEqualTo("{\"kind\":\"mark_file\",\"done\":\"resumed\"}\n");
        assertThat(command.run("job", "resume", "mark_file", "--reason", "x", "--json")
                        .out())
                .isEqualTo("{\"kind\":\"mark_file\",\"done\":\"not paused\"}\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            job pause nothing --reason x  | 4 | kind: 'nothing' is not registered; 'oneroof job kinds' has those that are
            job resume nothing --reason x | 4 | kind: 'nothing' is not registered; 'oneroof job kinds' has those that are
            job pause --reason x          | 2 | Missing required parameter: 'KIND'
            job pause mark_file           | 2 | Missing required option: '--reason=TEXT'
            job resume mark_file          | 2 | Missing required option: '--reason=TEXT'
            """)
    void refusesBadInput(String line, int exit, String message) {
        Oneroof.Answer answer = command.run(line.split(" +"));

        assertThat(answer.err()).startsWith("oneroof: " + message);
        assertThat(answer.exit()).isEqualTo(exit);
        assertThat(database.list(row -> row.getString(1), ACTS)).isEmpty();
    }

    private static void assertDone(Oneroof.Answer answer, String said) {
        assertThat(answer.err()).isEqualTo("oneroof: " + said + "\n");
        assertThat(answer.exit()).isZero();
    }
}
