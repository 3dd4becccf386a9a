package dev.oneroof.app.cli.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.cli.Oneroof;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dead letters of jobs by command; those of rows are in {@link CursorCommandTest}. */
@OneRoofTest
class DlqCommandTest {
    @TempDir
    Path folder;

    private TestDatabase database;
    private Oneroof command;

    @BeforeEach
    void fiveJobsThatFailedAlikeAndOneThatDidNot(TestDatabase given) {
        database = given;
        command = new Oneroof(folder).on(given);
        database.run("SELECT oneroof.fn_job_kind_register('mark_file', 'cut')");
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key LIKE 'queue.%.enabled'");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', jsonb_build_object('ref', n), p_max_attempts => 1)"
                + " FROM generate_series(1, 6) n");
        database.run("SELECT oneroof.fn_job_fail(job_id, lease_token, 'IOException',"
                + " CASE payload ->> 'ref' WHEN '6' THEN 'the disk is full' ELSE 'file ' || (payload ->> 'ref') || ' is gone' END)"
                + " FROM oneroof.fn_job_lease(ARRAY['mark_file'], 10, 'me')");
    }

    @Test
    void countsListsShowsTriagesReplaysAndCloses() {
        List<String> ids = ids("is gone");
        String other = ids("is full").getFirst();
        Oneroof.Answer groups = command.run("dlq", "groups");
        assertThat(groups.exit()).as(groups.err()).isZero();
        assertThat(groups.out().lines().toList().get(1))
                .matches(group() + " +5 +5 +0 +0 .*IOException: file \\d is gone");
        assertThat(groups.out()).contains("the disk is full");

        Oneroof.Answer page = command.run("dlq", "list", "--kind", "mark_file", "--limit", "2");
        assertThat(page.out()).contains(ids.get(0), ids.get(1)).doesNotContain(ids.get(2), "CURSOR");
        assertThat(page.err()).contains("--after " + ids.get(1));
        assertThat(command.run("dlq", "list", "--after", ids.get(4), "--json").out())
                .contains("\"dead_letters\":[]", "\"id\":\"%s\"".formatted(other))
                .doesNotContain(ids.get(4));
        Oneroof.Answer all = command.run("dlq", "list");
        assertThat(all.out()).contains("JOB LETTER", other).doesNotContain("CURSOR");
        assertThat(all.err()).contains("no dead letter of a row is open");
        assertThat(command.run("dlq", "show", ids.get(0)).out())
                .contains("mark_file, domain cut", "1 of 1", "{\"ref\": 1}", "new");

        String failed = database.value(String.class, "SELECT job_id::text FROM oneroof.job_history LIMIT 1");
        assertThat(command.run("job", "show", failed).out()).contains("oneroof dlq show " + failed);
        assertThat(command.run("dlq", "show", failed).exit()).isZero();

        Oneroof.Answer early = command.run("dlq", "replay", ids.get(0), "--authorization", "ticket 1");
        assertThat(early.exit()).isEqualTo(5);
        assertThat(early.err())
                .contains("is new; allowed is a replay of one that was triaged as manual_replay")
                .contains("oneroof dlq triage %s --as manual_replay --note TEXT".formatted(ids.get(0)));
        Oneroof.Answer triaged = command.run(
                "dlq",
                "triage",
                ids.get(0),
                ids.get(1),
                "--as",
                "manual_replay",
                "--note",
                "the file is back",
                "--json");
        assertThat(triaged.exit()).as(triaged.err()).isZero();
        assertThat(triaged.out()).contains("\"triage\":\"manual_replay\"", "\"triaged\":2", "\"changed\":true");
        Oneroof.Answer replayed =
                command.run("dlq", "replay", ids.get(0), ids.get(1), "--authorization", "ticket 1", "--json");
        assertThat(replayed.exit()).as(replayed.err()).isZero();
        assertThat(replayed.out()).contains("\"replayed\":2", "\"dead_letter_id\":\"%s\"".formatted(ids.get(0)));
        Oneroof.Answer shown = command.run("dlq", "show", ids.get(0));
        assertThat(shown.out())
                .contains("allowed by   ticket 1")
                .as("what somebody noted stays")
                .contains("note         the file is back; replayed");
        String job = shown.out().replaceAll("(?s).*replayed as +(\\S+).*", "$1").strip();
        Oneroof.Answer again = command.run("dlq", "replay", ids.get(0), "--authorization", "ticket 1");
        assertThat(again.exit()).isEqualTo(5);
        assertThat(again.err()).contains("is closed; it was replayed as job '%s' by ".formatted(job), " at 20");

        assertThat(command.run("dlq", "close", other, "--note", "not needed").exit())
                .isZero();
        assertThat(command.run("dlq", "close", other, "--note", "not needed").exit())
                .as("it is closed")
                .isEqualTo(5);
        assertThat(command.run("dlq", "replay", other, "--authorization", "ticket 1")
                        .err())
                .contains("is closed; it was closed by ");
        assertThat(command.run("dlq", "list", "--status", "closed").out())
                .contains(other, ids.get(0))
                .doesNotContain(ids.get(2));
    }

    @Test
    void triagesAndReplaysAGroupAndChangesNothingByADryRun() {
        String before = everything();
        assertThat(command.run("dlq", "triage", "--group", group(), "--as", "manual_replay", "--note", "x", "--dry-run")
                        .err())
                .contains("to be triaged as manual_replay: 5 of 5 open dead letters", "nothing was changed");
        Oneroof.Answer nobody = command.run("dlq", "close", "--group", group(), "--note", "x");
        assertThat(nobody.exit()).as("nobody to ask").isEqualTo(2);
        Oneroof.Answer dry = command.run("dlq", "replay", "--group", group(), "--rate", "2.5", "--dry-run", "--json");
        assertThat(dry.exit()).as(dry.err()).isZero();
        assertThat(dry.err()).contains("to be replayed: 0 of 5 open dead letters of");
        assertThat(dry.out())
                .contains("\"letters\":0", "\"not_triaged_for_it\":5", "\"rate\":2.5", "\"replayed\":false");
        Oneroof.Answer untriaged = command.run("dlq", "replay", "--group", group(), "--authorization", "t", "--yes");
        assertThat(untriaged.exit()).isEqualTo(5);
        assertThat(untriaged.err())
                .contains("may be replayed; allowed is a replay of those that were triaged")
                .contains("oneroof dlq triage --group %s --as manual_replay --note TEXT".formatted(group()));
        assertThat(everything()).isEqualTo(before);

        assertThat(command.run(
                                "dlq",
                                "triage",
                                "--group",
                                group(),
                                "--as",
                                "manual_replay",
                                "--note",
                                "the disk is back",
                                "--yes")
                        .exit())
                .isZero();
        before = everything();
        assertThat(command.run("dlq", "replay", "--group", group(), "--dry-run").err())
                .contains("to be replayed: 5 of 5 open dead letters of", "at 10 a second");
        assertThat(everything()).isEqualTo(before);
        Oneroof.Answer replayed = command.run(
                "dlq",
                "replay",
                "--group",
                group(),
                "--authorization",
                "ticket 1",
                "--rate",
                "1000",
                "--yes",
                "--json");
        assertThat(replayed.exit()).as(replayed.err()).isZero();
        assertThat(replayed.out()).contains("\"state\":\"done\"", "\"letters\":5", "\"replayed\":5", "\"left\":0");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isEqualTo(5);
        assertThat(command.run("dlq", "groups", "--json").out()).contains("\"open\":1", "is full");
    }

    @Test
    void namesAllThatStandsInTheWayOfAReplay() {
        String id = ids("is full").getFirst();
        database.run("UPDATE oneroof.dot_config SET value = 'false' WHERE key = 'queue.replay.enabled'");
        String gate = "gate: 'queue.replay.enabled' is closed; an operator opens it with:"
                + " oneroof gate open queue.replay.enabled --reason TEXT";

        Oneroof.Answer one = command.run("dlq", "replay", id, "--authorization", "ticket 1");
        assertThat(one.exit()).isEqualTo(5);
        assertThat(one.err())
                .contains(gate + "; and dead letter: '%s' is new; ".formatted(id))
                .contains("oneroof dlq triage %s --as manual_replay --note TEXT".formatted(id));
        Oneroof.Answer group = command.run("dlq", "replay", "--group", group(), "--authorization", "t", "--yes");
        assertThat(group.exit()).isEqualTo(5);
        assertThat(group.err())
                .contains(gate + "; and group: none of '%s' may be replayed; ".formatted(group()))
                .contains("oneroof dlq triage --group %s --as manual_replay --note TEXT".formatted(group()));

        command.run("dlq", "triage", id, "--as", "manual_replay", "--note", "x");
        assertThat(command.run("dlq", "replay", id, "--authorization", "ticket 1")
                        .err())
                .isEqualTo("oneroof: " + gate + "\n");
        command.run("dlq", "close", id, "--note", "not needed");
        assertThat(command.run("dlq", "replay", id, "--authorization", "ticket 1")
                        .err())
                .as("no gate would help")
                .contains("is closed; it was closed by ")
                .doesNotContain("gate");
    }

    @Test
    void goesOnAfterCtrlCWithTheRunThatItNamed() {
        String group = group();
        database.run(
                "SELECT oneroof.fn_job_dead_letter_triage_group(job_kind, fingerprint, 'manual_replay', 'x', 'ann')"
                        + " FROM oneroof.v_job_dead_letter_group WHERE open_count = 5");
        String run;
        // A letter at once, the next after a hundred seconds.
        try (JavaProcess process = command.start(
                "dlq",
                "replay",
                "--group",
                group,
                "--authorization",
                "ticket 1",
                "--rate",
                "0.01",
                "--yes",
                "--json")) {
            run = process.err().await("5 letters").replaceAll(".*run ([0-9a-f-]+):.*", "$1");
            Await.patiently()
                    .until(
                            "the first letter",
                            () -> database.inspect(sql -> sql.value(
                                            Long.class, "SELECT replayed FROM oneroof.job_dead_letter_replay_run"))
                                    == 1);
            process.interrupt();
            assertThat(process.awaitExit(Duration.ofSeconds(30))).isEqualTo(130);
            assertThat(process.err().whole())
                    .contains("replayed 1 of 5 so far; continue with 'oneroof dlq replay --resume %s'".formatted(run));
            assertThat(process.out().whole()).contains("\"state\":\"running\"");
        }
        Oneroof.Answer second = command.run("dlq", "replay", "--group", group, "--authorization", "t", "--yes");
        assertThat(second.exit()).isEqualTo(5);
        assertThat(second.err()).contains("is being replayed by run '%s'; resume or cancel that one".formatted(run));
        assertThat(command.run("dlq", "groups").out()).contains(run);
        database.run("UPDATE oneroof.job_dead_letter_replay_run SET rate = 1000");
        String left = ids("is gone").getLast();
        assertThat(command.run("dlq", "close", left, "--note", "not needed").exit())
                .isZero();

        Oneroof.Answer resumed = command.run("dlq", "replay", "--resume", run, "--json");

        assertThat(resumed.exit()).as(resumed.err()).isEqualTo(7);
        assertThat(resumed.out()).contains("\"state\":\"done\"", "\"replayed\":4", "\"left\":1");
        assertThat(resumed.err()).contains("skipped: 1, triaged otherwise or closed since the start");
        assertThat(command.run("dlq", "replay", "--resume", run).err()).contains("is done already");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isEqualTo(4);
    }

    @Test
    void cancelsARun() {
        String run = database.value(
                String.class,
                "SELECT oneroof.fn_job_dead_letter_replay_start(g.job_kind, g.fingerprint, 'ticket 1', 1, 'ann') ->> 'replay_run_id'"
                        + " FROM oneroof.v_job_dead_letter_group g, LATERAL oneroof.fn_job_dead_letter_triage_group("
                        + " g.job_kind, g.fingerprint, 'manual_replay', 'x', 'ann') WHERE g.open_count = 5");
        Oneroof.Answer cancelled = command.run("dlq", "replay", "--cancel", run, "--reason", "too soon", "--json");
        assertThat(cancelled.exit()).as(cancelled.err()).isZero();
        assertThat(cancelled.out()).contains("\"state\":\"cancelled\"", "\"replayed\":0");
        assertThat(command.run("dlq", "replay", "--cancel", run, "--reason", "too soon")
                        .exit())
                .isEqualTo(5);
    }

    @Test
    void refusesWhatItCannotDoAndChangesNothing() {
        String before = everything();
        String unknown = "01900000-0000-7000-8000-000000000000";
        """
        dlq list --source s --kind mark_file                                | 2 | use only one set
        dlq triage --as investigating --note x                              | 2 | missing one of: ID, --group
        dlq triage %1$s --as closed --note x                                | 2 | --as: 'closed' is not allowed; allowed are investigating, manual_replay
        dlq triage 12 --as investigating --note x                           | 2 | ID: '12' is the number of a row's dead letter
        dlq triage %1$s --as investigating --note x                         | 4 | there is no '%1$s'
        dlq close %1$s --note x --dry-run                                   | 2 | --dry-run is only allowed with --group
        dlq close --group mark_file --note x                                | 2 | 'mark_file' is not a group; allowed is KIND/FINGERPRINT
        dlq replay %1$s --reason x                                          | 2 | --authorization is missing: a job's dead letter needs it
        dlq replay 12 %1$s --reason x                                       | 2 | cannot be replayed by one command
        dlq replay --group mark_file/none                                   | 2 | --authorization is missing: --group needs it
        dlq replay --group mark_file/none --rate 0 --authorization x        | 2 | '0' is not allowed; allowed is a number from 0.01 to 10000
        dlq replay --resume %1$s                                            | 4 | replay run: there is no '%1$s'
        dlq replay --resume %1$s --rate 5                                   | 2 | --rate is not allowed with --resume
        """.formatted(unknown).lines().map(line -> line.split(" *\\| ")).forEach(line -> {
            Oneroof.Answer answer = command.run(line[0].split(" "));
            assertThat(answer.exit()).as(line[0] + ": " + answer.err()).isEqualTo(Integer.parseInt(line[1]));
            assertThat(answer.err()).as(line[0]).contains(line[2]);
        });
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void saysThatThereIsNoneInsteadOfAHeadingAlone() {
        database.run("DELETE FROM oneroof.job_dead_letter");

        for (String line : List.of("dlq list", "dlq groups", "schedule list", "instance list", "worker list")) {
            Oneroof.Answer none = command.run(line.split(" "));
            assertThat(none.exit()).as(none.err()).isZero();
            assertThat(none.out()).as(line).isEmpty();
            assertThat(none.err()).as(line).startsWith("oneroof: ");
        }
        assertThat(command.run("dlq", "list", "--status", "closed").err())
                .isEqualTo("oneroof: there is no such dead letter of a job\n");
        assertThat(command.run("instance", "list").err()).contains("no instance is running");
        assertThat(command.run("instance", "list", "--json").out()).isEqualTo("{\"instances\":[]}\n");
    }

    private String group() {
        return database.value(
                String.class,
                "SELECT 'mark_file/' || oneroof.fn_job_fingerprint('mark_file', 'IOException', 'file 1 is gone')");
    }

    private List<String> ids(String error) {
        return database.list(
                row -> row.getString(1),
                "SELECT dead_letter_id::text FROM oneroof.job_dead_letter WHERE last_error LIKE ? ORDER BY dead_letter_id",
                "%" + error);
    }

    /** What an act would change. */
    private String everything() {
        return database.value(
                String.class,
                "SELECT concat((SELECT md5(string_agg(d::text, '' ORDER BY dead_letter_id)) FROM oneroof.job_dead_letter d), ' ',"
                        + " (SELECT count(*) FROM oneroof.job_queue), ' ', (SELECT count(*) FROM oneroof.operator_act), ' ',"
                        + " (SELECT count(*) FROM oneroof.job_dead_letter_replay_run))");
    }
}
