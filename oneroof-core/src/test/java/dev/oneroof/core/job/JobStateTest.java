package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The states of a job are defined three times: here they are compared. */
@OneRoofTest
class JobStateTest {
    @Test
    void areTheSameInTheConstraints(TestDatabase database) {
        assertThat(states(database, "job_queue")).isEqualTo(named(true));
        assertThat(states(database, "job_history")).isEqualTo(named(false));
    }

    @Test
    void goWhereTheDiagramSaysTheyGo() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("oneroof.test.root"), "docs/internals/jobs.md"));
        Set<String> drawn = Pattern.compile("^    (\\w+) --> (\\w+)", Pattern.MULTILINE)
                .matcher(page)
                .results()
                .map(arrow -> arrow.group(1) + " " + arrow.group(2))
                .collect(Collectors.toSet());

        assertThat(drawn)
                .isEqualTo(Arrays.stream(JobState.values())
                        .flatMap(state -> state.next().stream().map(next -> state.sql() + " " + next.sql()))
                        .collect(Collectors.toSet()));
    }

    private static Set<String> named(boolean alive) {
        return Arrays.stream(JobState.values())
                .filter(state -> state.isAlive() == alive)
                .map(JobState::sql)
                .collect(Collectors.toSet());
    }

    private static Set<String> states(TestDatabase database, String table) {
        String checks = database.value(
                String.class,
                "SELECT string_agg(pg_get_constraintdef(oid), ' ') FROM pg_constraint WHERE conrelid = 'oneroof.%s'::regclass AND contype = 'c'"
                        .formatted(table));
        return Pattern.compile("'([a-z]+)'::text")
                .matcher(checks)
                .results()
                .map(MatchResult::group)
                .map(quoted -> quoted.substring(1, quoted.indexOf("'::")))
                .collect(Collectors.toSet());
    }
}
