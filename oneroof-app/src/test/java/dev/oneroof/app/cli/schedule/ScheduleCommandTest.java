package dev.oneroof.app.cli.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@OneRoofTest
class ScheduleCommandTest {
    @TempDir
    Path folder;

    @Test
    void showsTheTimesFromTheOneThatIsStored(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_schedule_put("
                + "'nights', 'mark_file', '30 2 * * *', 'UTC', NULL, NULL, '2099-03-01 02:30 UTC')");

        String shown = new Oneroof(folder)
                .on(database)
                .run("schedule", "show", "nights")
                .out();

        assertThat(shown.lines()
                        .filter(line -> line.startsWith("next"))
                        .map(line -> line.substring(4).strip()))
                .startsWith("2099-03-01T02:30:00Z", "2099-03-02T02:30:00Z")
                .hasSize(5);
    }

    @Test
    void addsShowsPausesResumesAndRemoves(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        Oneroof command = new Oneroof(folder).on(database);
        String[] add = {
            "schedule",
            "add",
            "nights",
            "--kind",
            "mark_file",
            "--cron",
            "30 2 * * *",
            "--zone",
            "Europe/Berlin",
            "--json"
        };

        Oneroof.Answer added = command.run(add);
        assertThat(added.exit()).as(added.err()).isZero();
        assertThat(added.err()).contains("it does not fire yet: no instance is running");
        assertThat(added.out()).contains("\"schedule\":\"nights\"", "\"done\":\"added\"", "\"next_due_at\":\"20");
        assertThat(command.run(add).out()).contains("\"done\":\"same\"");

        String[] other = {
            "schedule", "add", "nights", "--kind", "mark_file", "--every", "90s", "--catch-up", "all", "--no-overlap"
        };
        Oneroof.Answer refused = command.run(other);
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err()).contains("another definition", "cron is 30 2 * * *", "catch-up is last", "--replace");
        String[] replacing = Arrays.copyOf(other, other.length + 1);
        replacing[other.length] = "--replace";
        assertThat(command.run(replacing).err()).contains("nights is changed, due next at 20");

        assertThat(command.run("schedule", "list").out()).contains("nights", "mark_file", "every 90s");
        assertThat(command.run("schedule", "list", "--json").out())
                .contains("\"every_seconds\":90", "\"catch_up\":\"all\"");
        assertThat(command.run("schedule", "pause", "nights", "--reason", "not tonight")
                        .exit())
                .isZero();
        assertThat(command.run("schedule", "list").out()).contains("paused");
        assertThat(command.run("schedule", "show", "nights").out())
                .contains("one job for each", "not tonight", "no job is enqueued while", "would be");
        assertThat(command.run("schedule", "resume", "nights", "--reason", "again", "--json")
                        .out())
                .contains("\"done\":\"resumed\"");
        assertThat(command.run("schedule", "show", "nights", "--json").out()).contains("\"next_times\":[\"20");
        assertThat(command.run("schedule", "remove", "nights", "--reason", "no more")
                        .exit())
                .isZero();
        assertThat(command.run("schedule", "show", "nights").exit()).isEqualTo(4);
    }

    /** Also one that does no job itself. */
    @Test
    void whereAnInstanceRunsItSaysNothingOfNobody(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        Oneroof command = new Oneroof(folder).on(database);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one"), database.dataSource())) {
            oneroof.start();
            Await.patiently()
                    .until(
                            "it to be known",
                            () -> database.value(
                                    Boolean.class,
                                    "SELECT EXISTS (SELECT FROM oneroof.queue_heartbeat WHERE executor_name = 'instance/one'"
                                            + " AND jsonb_exists(metadata -> 'scopes', 'job_keeper/job_queue/0'))"));
            Oneroof.Answer added = command.run("schedule", "add", "often", "--kind", "mark_file", "--every", "1h");
            assertThat(added.exit()).as(added.err()).isZero();
            assertThat(added.err()).contains("often is added").doesNotContain("nobody");

            database.run("UPDATE oneroof.queue_heartbeat SET metadata = metadata || '{\"drain\": \"repairs\"}'"
                    + " WHERE executor_name = 'instance/one'");
            assertThat(command.run("schedule", "add", "often", "--kind", "mark_file", "--every", "1h")
                            .err())
                    .contains("it does not fire yet");
        }
    }

    @Test
    void showsOneThatWasStoppedThoughItsTimesCannotBeTold(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run(
                "SELECT oneroof.fn_job_schedule_put('nights', 'mark_file', '@daily', 'Mars/Base', NULL, NULL, now())");
        database.run("UPDATE oneroof.job_schedule SET last_due_at = now()");
        database.run(
                "SELECT oneroof.fn_job_schedule_stop(schedule_name, version, 'it cannot be fired: zone', 'job_keeper')"
                        + " FROM oneroof.job_schedule");
        Oneroof command = new Oneroof(folder).on(database);

        assertThat(command.run("schedule", "list").out()).contains("nights", "stopped");
        Oneroof.Answer shown = command.run("schedule", "show", "nights");
        assertThat(shown.exit()).as(shown.err()).isZero();
        assertThat(shown.out())
                .contains("by job_keeper: it cannot be fired: zone", "@daily in Mars/Base")
                .doesNotContain("would be");
        assertThat(command.run("schedule", "resume", "nights", "--reason", "again")
                        .err())
                .as("it would be stopped again")
                .contains("zone: 'Mars/Base' is not allowed");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            schedule                                                   | 2 | missing verb
            schedule add                                               | 2 | NAME
            schedule add x --kind mark_file                            | 2 | missing one of: --cron, --every
            schedule add x --kind mark_file --every 5s --payload {bad  | 2 | --payload: '{bad' is not allowed; allowed is a JSON object
            schedule add x --every 5s                                  | 2 | --kind
            schedule add x --kind nobody --every 5s                    | 4 | --kind: 'nobody' is not registered; 'oneroof job kinds' has those that are
            schedule add X --kind mark_file --every 5s                 | 2 | name: 'X' is not allowed
            schedule add x --kind mark_file --every 5                  | 2 | '5' is not a duration
            schedule add x --kind mark_file --every 10ms               | 2 | every: '
            schedule add x --kind mark_file --every 5s --cron @daily   | 2 | mutually exclusive
            schedule add x --kind mark_file --cron nonsense            | 2 | cron: 'nonsense' is not allowed; allowed is five fields
            schedule add x --kind mark_file --cron @dayly              | 2 | --cron: '@dayly' is not allowed; allowed are @hourly, @daily
            schedule add x --kind mark_file --cron 0_0_30_2_*          | 2 | this one never is
            schedule add x --kind mark_file --cron 61_*_*_*_*          | 2 | cron: '61 * * * *' is not allowed
            schedule add x --kind mark_file --cron @daily --zone Mars  | 2 | zone: 'Mars' is not allowed
            schedule add x --kind mark_file --every 5s --from tomorrow | 2 | 'tomorrow' is not allowed; allowed is a time with its zone
            schedule add x --kind mark_file --every 5s --catch-up some | 2 | --catch-up: 'some' is not allowed; allowed are skip, last, all
            schedule add x --kind mark_file --every 5s --priority 101  | 2 | '101' is not allowed
            schedule add x --kind mark_file --every 5s --payload {"body":1} | 2 | payload: that of 'x' is no signal
            schedule show nobody                                       | 4 | there is no 'nobody'
            schedule pause nobody --reason x                           | 4 | there is no 'nobody'
            schedule pause nobody                                      | 2 | --reason
            schedule remove nobody --reason x                          | 4 | there is no 'nobody'
            """)
    void refusesBadInput(String line, int exit, String message, TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");

        String[] words = line.split(" +");
        for (int n = 1; n < words.length; n++) {
            // A blank within a word.
            words[n] = words[n - 1].equals("--cron") ? words[n].replace('_', ' ') : words[n];
        }
        Oneroof.Answer answer = new Oneroof(folder).on(database).run(words);

        assertThat(answer.exit()).as(answer.err()).isEqualTo(exit);
        assertThat(answer.err()).contains(message);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_schedule"))
                .isZero();
    }
}
