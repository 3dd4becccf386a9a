package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@OneRoofTest
class JobCommandTest {
    @TempDir
    Path folder;

    @Test
    void enqueuesShowsRetriesAndCancels(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file', 'cut')");
        Oneroof command = new Oneroof(folder).on(database);

        Oneroof.Answer first = command.run(
                "job", "enqueue", "mark_file", "--payload", "{\"ref\": 7}", "--key", "k", "--in", "1h", "--json");
        assertThat(first.exit()).as(first.err()).isZero();
        String id =
                first.out().replaceAll("(?s).*\"job_id\":\"([^\"]+)\".*", "$1").strip();
        assertThat(command.run("job", "enqueue", "mark_file", "--key", "k", "--json")
                        .out())
                .contains(id, "\"created\":false");
        assertThat(command.run("job", "list", "--kind", "mark_file", "--state", "scheduled")
                        .out())
                .contains(id, "0 of 10");
        assertThat(command.run("job", "list", "--before", id).out()).doesNotContain(id);
        assertThat(command.run("job", "show", id).out()).contains("scheduled", "{\"ref\": 7}", "domain cut");

        assertThat(command.run("job", "retry", id, "--reason", "now").exit()).isZero();
        assertThat(command.run("job", "show", id, "--json").out()).contains("\"state\":\"queued\"");
        assertThat(command.run("job", "cancel", id, "--reason", "not needed").exit())
                .isZero();
        assertThat(command.run("job", "show", id).out()).contains("cancelled", "not needed");
        Oneroof.Answer again = command.run("job", "cancel", id, "--reason", "not needed");
        assertThat(again.exit()).isEqualTo(5);
        assertThat(again.err()).contains("has ended");
        assertThat(database.list(row -> row.getString(1), "SELECT act FROM oneroof.operator_act ORDER BY act_id"))
                .containsExactly("job_retry", "job_cancel");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            job                                                     | 2 | a verb is missing
            job enqueue                                             | 2 | KIND
            job enqueue nothing                                     | 4 | kind 'nothing' is not registered
            job enqueue mark_file --payload {"body":1}              | 2 | is no signal
            job enqueue mark_file --payload nonsense                | 2 | invalid input syntax
            job enqueue mark_file --priority -1                     | 2 | '-1' is not allowed; allowed is a whole number from 0 to 100
            job enqueue mark_file --max-attempts 0                  | 2 | '0' is not allowed
            job list --kind nothing                                 | 4 | kind: 'nothing' is not registered
            job list --state nonsense                               | 2 | nonsense
            job show nonsense                                       | 2 | 'nonsense' is no id of a job; allowed is a uuid
            job show 01900000-0000-7000-8000-000000000000           | 4 | there is no
            job retry 01900000-0000-7000-8000-000000000000 --reason x  | 4 | there is no
            job cancel 01900000-0000-7000-8000-000000000000 --reason x | 4 | there is no
            job cancel 01900000-0000-7000-8000-000000000000         | 2 | --reason
            """)
    void refusesBadInput(String line, int exit, String message, TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");

        Oneroof.Answer answer = new Oneroof(folder).on(database).run(line.split(" +"));

        assertThat(answer.exit()).as(answer.err()).isEqualTo(exit);
        assertThat(answer.err()).contains(message);
    }
}
