package dev.oneroof.app.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThat(again.err()).contains("has ended, cancelled at 20");
        assertThat(database.list(row -> row.getString(1), "SELECT act FROM oneroof.operator_act ORDER BY act_id"))
                .containsExactly("job_kind_register", "job_enqueue", "job_retry", "job_cancel");
    }

    @Test
    void showsALeasedJobWithoutTheTokenOfItsLease(TestDatabase database) {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        database.run("SELECT oneroof.fn_job_say(job_id, lease_token, 'at it')"
                + " FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'me')");
        String id = database.value(String.class, "SELECT job_id::text FROM oneroof.job_queue");
        String token = database.value(String.class, "SELECT lease_token::text FROM oneroof.job_queue");
        Oneroof command = new Oneroof(folder).on(database);

        for (String[] line : new String[][] {{"job", "show", id, "--json"}, {"job", "list", "--json"}}) {
            assertThat(command.run(line).out())
                    .contains(id, "\"lease_owner\":\"me\"")
                    .doesNotContain(token, "token");
        }
    }

    @Test
    void printsTheIdForAScriptAndTheRestForWhoeverReads(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        Oneroof command = new Oneroof(folder).on(database);

        Oneroof.Answer enqueued = command.run("job", "enqueue", "mark_file", "--key", "k");

        assertThat(enqueued.exit()).as(enqueued.err()).isZero();
        assertThat(enqueued.out().strip())
                .isEqualTo(database.value(String.class, "SELECT job_id::text FROM oneroof.job_queue"));
        Oneroof.Answer second = command.run("job", "enqueue", "mark_file", "--key", "k");
        assertThat(second.out()).isEqualTo(enqueued.out());
        assertThat(second.err()).contains("no job is enqueued: this one has the key 'k' and is alive");
    }

    @Test
    void saysWhenNobodyWouldBeginIt(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        Oneroof command = new Oneroof(folder).on(database);
        assertThat(command.run("job", "enqueue", "mark_file").err())
                .contains("it will not start now: gate queue.jobs.enabled is closed")
                .contains("it will not start now: no instance with a job worker is running")
                .doesNotContain("paused");

        command.run("gate", "open", "queue.jobs.enabled", "--reason", "a trial");
        database.run("SELECT oneroof.fn_job_kind_pause('mark_file', true, 'a look', 'ann')");
        assertThat(command.run("job", "enqueue", "mark_file").err())
                .contains("it will not start now: the kind is paused by ann: a look")
                .doesNotContain("gate");

        database.run("SELECT oneroof.fn_job_kind_pause('mark_file', false, 'seen', 'ann')");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one"), database.dataSource())) {
            oneroof.work(JobKind.named("mark_file")).each(job -> Outcome.done());
            oneroof.start();
            Await.patiently()
                    .until(
                            "it to be known",
                            () -> !command.run("job", "enqueue", "mark_file", "--in", "1h")
                                    .err()
                                    .contains("nobody"));
        }
    }

    @Test
    void showsTheLastLineOfAHandlerThatSaysMoreThanIsKept(TestDatabase database) {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        database.run("SELECT FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'me')");
        database.run("SELECT oneroof.fn_job_say(job_id, lease_token, 'line ' || n, 'info', n / 11)"
                + " FROM oneroof.job_queue, generate_series(1, 1010) n");
        String id = database.value(String.class, "SELECT job_id::text FROM oneroof.job_queue");
        Oneroof command = new Oneroof(folder).on(database);

        assertThat(command.run("job", "show", id).out())
                .contains("91 %   line 1010", "10 lines omitted before the last line of attempt 1")
                .doesNotContain("line 1009");
        assertThat(command.run("job", "show", id, "--json").out()).contains("\"left_out\":10");
    }

    @Test
    void listsTheKindsWithWhatThereIsOfEach(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        Oneroof.Answer none = command.run("job", "kinds");
        assertThat(none.out()).isEmpty();
        assertThat(none.err()).contains("no kind of jobs is registered");

        database.run("SELECT oneroof.fn_job_kind_register('mark_file', 'cut', 'marks files', p_max_running => 3,"
                + " p_rate_count => 10, p_rate_seconds => 60)");
        database.run("SELECT oneroof.fn_job_kind_register('other')");
        database.run("SELECT oneroof.fn_job_kind_pause('other', true, 'a look', 'ann')");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 2)");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_scheduled_at => now() + interval '1 hour')"
                + " FROM generate_series(1, 3)");

        Oneroof.Answer kinds = command.run("job", "kinds");

        assertThat(kinds.exit()).as(kinds.err()).isZero();
        assertThat(kinds.out().lines().toList().get(1))
                .matches("mark_file +cut +3 at once, 10 in 60 s +2 +0 +3 +- +marks files");
        assertThat(kinds.out()).contains("WAITING   RUNNING   LATER   PAUSED", "by ann: a look");
        assertThat(command.run("job", "kinds", "--json").out())
                .contains(
                        "\"kind\":\"mark_file\",\"domain\":\"cut\"",
                        "\"max_running\":3",
                        "\"queued\":2",
                        "\"scheduled\":3");
    }

    @Test
    void saysThatThereMayBeMoreForLaterThanAreCounted(TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register(kind) FROM unnest('{mark_file,other}'::text[]) kind");
        database.run("SELECT oneroof.fn_job_enqueue('other', p_scheduled_at => now() + interval '1 hour')");
        database.run(
                "SELECT count(*) FROM oneroof.fn_job_enqueue_many(array_fill('mark_file'::text, ARRAY[10000]),"
                        + " array_fill('{}'::jsonb, ARRAY[10000]), p_scheduled => array_fill(now() + interval '2 hours', ARRAY[10000]))");

        assertThat(new Oneroof(folder).on(database).run("job", "kinds").out())
                .containsPattern("mark_file +system +- +0 +0 +9999 or more +-")
                .containsPattern("other +system +- +0 +0 +1 or more +-");
    }

    @ParameterizedTest
    @CsvSource({"0s, 00:00:00, queued", "1500ms, 00:00:01.5, scheduled", "90m, 01:30:00, scheduled"})
    void reckonsByTheClockOfTheDatabaseWhenItIsDue(String in, String apart, String state, TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");

        Oneroof.Answer enqueued = new Oneroof(folder).on(database).run("job", "enqueue", "mark_file", "--in", in);

        assertThat(enqueued.exit()).as(enqueued.err()).isZero();
        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', scheduled_at - enqueued_at, state) FROM oneroof.job_queue"))
                .as("to the microsecond, which no other clock would be")
                .isEqualTo(apart + " " + state);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1000001d", "999999999d"})
    void refusesADelayThatIsTooLong(String in, TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        Oneroof command = new Oneroof(folder).on(database);

        assertRefused(
                command.run("job", "enqueue", "mark_file", "--in", in),
                "oneroof: --in: '%s' is not allowed; allowed are times from 0s to 1000000d\n".formatted(in));
        assertThat(command.run("job", "enqueue", "mark_file", "--in", "1000000d")
                        .exit())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "251, 80, 502"})
    void refusesAKeyThatIsEmptyOrTooLong(int letters, int shown, int bytes, TestDatabase database) {
        database.run("SELECT oneroof.fn_job_kind_register('mark_file')");
        Oneroof command = new Oneroof(folder).on(database);

        assertRefused(
                command.run("job", "enqueue", "mark_file", "--key", "é".repeat(letters)),
                "oneroof: --key: '%s' of %d bytes is not allowed; allowed are 1 to 500 bytes\n"
                        .formatted("é".repeat(shown), bytes));
        assertThat(command.run("job", "enqueue", "mark_file", "--key", "é".repeat(250))
                        .exit())
                .isZero();
    }

    private static void assertRefused(Oneroof.Answer answer, String message) {
        assertThat(answer.err()).startsWith(message);
        assertThat(answer.exit()).isEqualTo(2);
        assertThat(answer.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            job                                                     | 2 | missing verb
            job enqueue                                             | 2 | KIND
            job enqueue nothing                                     | 4 | KIND: 'nothing' is not registered; see 'oneroof job kinds'
            job enqueue mark_file --payload {"body":1}              | 2 | --payload: the payload of this 'mark_file' is no signal: its key 'body' is one
            job enqueue mark_file --payload nonsense                | 2 | --payload: 'nonsense' is not allowed; allowed is a JSON object
            job enqueue mark_file --payload {bad                    | 2 | --payload: '{bad' is not allowed
            job enqueue mark_file --payload {}{}                    | 2 | --payload: '{}{}' is not allowed
            job enqueue mark_file --payload [7]                     | 2 | --payload: '[7]' is not allowed
            job enqueue mark_file --payload=                        | 2 | --payload: '' is not allowed
            job enqueue mark_file --payload {"Body":1}              | 2 | is no signal: its key 'Body' is one of those that hold contents or secrets; allowed are
            job enqueue mark_file --payload {"a":[1,{"token":1}]}   | 2 | is no signal: its key 'a[1].token' is one
            job enqueue mark_file --priority -1                     | 2 | '-1' is not allowed; allowed is a whole number from 0 to 100
            job enqueue mark_file --max-attempts 0                  | 2 | '0' is not allowed
            job list --kind nothing                                 | 4 | --kind: 'nothing' is not registered; 'oneroof job kinds' has those that are
            job list --state nonsense                               | 2 | --state: 'nonsense' is not allowed; allowed are scheduled, queued, leased
            job show nonsense                                       | 2 | ID: 'nonsense' is not the id of a job; allowed is a uuid
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
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isZero();
    }
}
