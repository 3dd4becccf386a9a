package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Dead letters of jobs as operators look after them, in the role of the running program. */
@OneRoofTest
class JobDeadLettersTest {
    private static final OperatorAct ANN = new OperatorAct("ann", "the disk is back");
    private static final OperatorAct ALLOWED = new OperatorAct("bob", "ticket 4711");

    private TestDatabase database;
    private HikariDataSource pool;
    private JobDeadLetters letters;

    @BeforeEach
    void opensTheGate(TestDatabase given) {
        database = given;
        HikariConfig config = new HikariConfig();
        config.setDataSource(given.dataSource());
        config.setConnectionInitSql("SET ROLE oneroof_server");
        // One, made here and now: another that it makes beside could come when it is just being closed, and stay.
        config.setMaximumPoolSize(1);
        pool = new HikariDataSource(config);
        letters = new JobDeadLetters(new Database(pool, SchemaName.DEFAULT));
        database.run("SELECT oneroof.fn_job_kind_register('mark_file', 'cut')");
        gate(true);
    }

    @AfterEach
    void closesThePool() {
        pool.close();
    }

    @Test
    void countsWhatFailedAlike() {
        LetterGroup gone = dead(3, "file 1 is gone");
        LetterGroup full = dead(1, "the disk is full");
        dead(2, "file 4 is gone");
        letters.triage(ids(gone).subList(0, 1), Triage.INVESTIGATING, ANN);
        letters.triage(ids(gone).subList(1, 3), Triage.MANUAL_REPLAY, ANN);
        letters.triage(ids(gone).subList(4, 5), Triage.CLOSED, ANN);

        List<LetterGroupReport> groups = letters.groups("mark_file", 10);

        assertThat(groups).extracting(LetterGroupReport::group).containsExactly(gone, full);
        LetterGroupReport first = groups.getFirst();
        assertThat(first.counts()).isEqualTo(new LetterGroupReport.Counts(4, 1, 1, 2));
        assertThat(first.sample()).isEqualTo("file 4 is gone");
        assertThat(first.lastLetter()).isEqualTo(ids(gone).get(3));
        assertThat(first.domain()).isEqualTo("cut");
        assertThat(first.firstFailedAt()).isLessThan(first.lastFailedAt());
        assertThat(letters.groups(null, 1)).hasSize(1);
        assertThat(letters.group(full).counts().untriaged()).isEqualTo(1);
    }

    @Test
    void listsByGroupAndStatusAndPageByPage() {
        LetterGroup gone = dead(5, "file 1 is gone");
        dead(2, "the disk is full");
        List<JobDeadLetterId> ids = ids(gone);
        letters.triage(ids.subList(0, 2), Triage.CLOSED, ANN);
        letters.triage(ids.subList(2, 3), Triage.INVESTIGATING, ANN);

        assertThat(letters.list(null, null, null, null, 10)).hasSize(5);
        assertThat(listed(gone, null, null, 2)).isEqualTo(ids.subList(2, 4));
        assertThat(listed(gone, null, ids.get(3), 2)).isEqualTo(ids.subList(4, 5));
        assertThat(listed(gone, Triage.CLOSED, null, 10)).isEqualTo(ids.subList(0, 2));
        assertThat(listed(gone, Triage.INVESTIGATING, null, 10)).isEqualTo(ids.subList(2, 3));
        assertThatThrownBy(() -> letters.list("nothing", null, null, null, 10))
                .hasMessageContaining("kind: 'nothing' is not registered");
    }

    @Test
    void triagesAGroupOfThousandsInBatchesAndNoOther() {
        LetterGroup gone = dead(2500, "file 1 is gone");
        LetterGroup full = dead(3, "the disk is full");
        List<Long> counts = new ArrayList<>();

        assertThat(letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, counts::add))
                .isEqualTo(2500);

        assertThat(counts).containsExactly(1000L, 2000L, 2500L);
        assertThat(letters.group(gone).counts().manualReplay()).isEqualTo(2500);
        assertThat(letters.group(full).counts().untriaged()).isEqualTo(3);
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT concat_ws(' ', actor, reason, details ->> 'to', details ->> 'letters')"
                                + " FROM oneroof.operator_act WHERE act = 'job_dead_letter_triage' ORDER BY act_id"))
                .containsExactly(
                        "ann the disk is back manual_replay 1000",
                        "ann the disk is back manual_replay 1000",
                        "ann the disk is back manual_replay 500");
        assertThat(letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, counts::add))
                .as("all are so already")
                .isZero();
        assertThat(letters.triageGroup(full, Triage.CLOSED, ANN, counts::add)).isEqualTo(3);
        assertThatThrownBy(() -> letters.triageGroup(full, Triage.CLOSED, ANN, counts::add))
                .hasMessageContaining("group: there is no open dead letter of '" + full + "'");
    }

    @Test
    void triagesAndReplaysSeveralOrNone() {
        LetterGroup gone = dead(3, "file 1 is gone");
        List<JobDeadLetterId> ids = ids(gone);
        JobDeadLetterId unknown = new JobDeadLetterId(UUID.randomUUID());

        assertThatThrownBy(() -> letters.triage(List.of(ids.get(0), unknown), Triage.MANUAL_REPLAY, ANN))
                .hasMessageContaining("dead letter: there is no '" + unknown + "'");
        assertThat(letters.group(gone).counts().untriaged()).isEqualTo(3);
        letters.triage(ids.subList(0, 2), Triage.MANUAL_REPLAY, ANN);
        assertThatThrownBy(() -> letters.replay(ids, ALLOWED))
                .hasMessageContaining("'%s' is new; allowed is a replay of one that was triaged".formatted(ids.get(2)));
        assertThat(count("job_queue")).isZero();

        Map<JobDeadLetterId, JobId> fresh = letters.replay(List.of(ids.get(1), ids.get(0), ids.get(1)), ALLOWED);

        assertThat(fresh).containsOnlyKeys(ids.subList(0, 2));
        JobDeadLetter replayed = letters.show(ids.get(0).value());
        assertThat(replayed.decision().triage()).isEqualTo(Triage.CLOSED);
        assertThat(replayed.decision().replayedAs()).isEqualTo(fresh.get(ids.get(0)));
        assertThat(replayed.decision().authorization()).isEqualTo("ticket 4711");
        assertThat(replayed.decision().note()).isEqualTo("the disk is back; replayed");
        assertThat(letters.show(replayed.job().value())).as("by its job").isEqualTo(replayed);
        assertThat(count("job_queue")).isEqualTo(2);
    }

    /** Each letter of a group gets what one alone gets. */
    @Test
    void replaysAGroupOfThousandsBatchByBatch() {
        LetterGroup gone = dead(2500, "file 1 is gone");
        LetterGroup full = dead(1, "the disk is full");
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        letters.triageGroup(full, Triage.MANUAL_REPLAY, ANN, count -> {});

        ReplayRun run = letters.startReplay(gone, 10_000, ALLOWED);
        assertThat(run.letters()).isEqualTo(2500);
        assertThat(count("job_queue")).as("it begins with the first batch").isZero();
        assertThat(letters.group(gone).replayRun()).isEqualTo(run.id());
        List<Long> reached = new ArrayList<>();
        while (run.isRunning()) {
            passed("1 hour");
            run = letters.replayNext(run.id(), "bob");
            reached.add(run.replayed());
        }

        assertThat(reached).containsExactly(1000L, 2000L, 2500L);
        assertThat(run.left()).isZero();
        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', count(*), count(DISTINCT q.job_id), count(DISTINCT q.idempotency_key), min(q.state),"
                                + " max(q.attempts), min(q.max_attempts), min(q.priority), min(d.triage_status), min(d.triaged_by),"
                                + " min(d.triage_note), min(d.authorization_source), count(d.resolved_at),"
                                + " count(DISTINCT d.replay_run_id))"
                                + " FROM oneroof.job_dead_letter d JOIN oneroof.job_queue q ON q.job_id = d.replayed_as"
                                + " AND q.payload = d.payload AND q.idempotency_key = 'replay:' || d.dead_letter_id"))
                .isEqualTo("2500 2500 2500 queued 0 3 7 closed bob replayed ticket 4711 2500 1");
        assertThat(letters.group(full).counts().manualReplay())
                .as("another group")
                .isEqualTo(1);
        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', actor, reason, target, details ->> 'letters') FROM oneroof.operator_act"
                                + " WHERE act = 'job_dead_letter_replay'"))
                .isEqualTo("bob ticket 4711 dead letters %s 2500".formatted(gone));
        assertThat(letters.replayNext(run.id(), "bob")).as("it has ended").isEqualTo(run);
    }

    @Test
    void replaysOnlyWhatWasTriagedForItWhenItBegan() {
        LetterGroup gone = dead(6, "file 1 is gone");
        List<JobDeadLetterId> ids = ids(gone);
        assertThatThrownBy(() -> letters.startReplay(gone, 100, ALLOWED))
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
                .hasMessageContaining("none of '%s' may be replayed", gone);
        letters.triage(ids.subList(0, 4), Triage.MANUAL_REPLAY, ANN);
        ReplayRun run = letters.startReplay(gone, 100, ALLOWED);
        letters.triage(ids.subList(0, 1), Triage.INVESTIGATING, ANN);
        letters.triage(ids.subList(1, 2), Triage.CLOSED, ANN);
        letters.triage(ids.subList(4, 5), Triage.MANUAL_REPLAY, ANN);
        database.run("UPDATE oneroof.job_dead_letter SET payload = '{\"body\": \"x\"}' WHERE dead_letter_id = '%s'"
                .formatted(ids.get(2)));
        dead(1, "file 2 is gone");

        passed("1 hour");
        run = letters.replayNext(run.id(), "bob");

        assertThat(run.state()).isEqualTo(ReplayRun.State.DONE);
        assertThat(run.replayed()).isEqualTo(1);
        assertThat(run.left()).isEqualTo(3);
        assertThat(letters.show(ids.get(3).value()).decision().replayedAs()).isNotNull();
        assertThat(letters.group(gone).counts()).isEqualTo(new LetterGroupReport.Counts(5, 2, 1, 2));
    }

    @Test
    void doesNotReplayThroughAClosedGateAndGoesOnWhenItIsOpen() {
        LetterGroup gone = dead(2, "file 1 is gone");
        gate(false);
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        assertThatThrownBy(() -> letters.startReplay(gone, 100, ALLOWED))
                .hasMessageContaining("'queue.replay.enabled' is closed");
        assertThatThrownBy(() -> letters.replay(ids(gone), ALLOWED))
                .hasMessageContaining("oneroof gate open queue.replay.enabled --reason TEXT");
        gate(true);
        ReplayRunId run = letters.startReplay(gone, 100, ALLOWED).id();
        gate(false);
        assertThatThrownBy(() -> letters.replayNext(run, "bob"))
                .hasMessageContaining("'queue.replay.enabled' is closed");
        assertThat(count("job_queue")).isZero();
        assertThat(letters.run(run).isRunning()).isTrue();

        gate(true);
        passed("1 hour");
        assertThat(letters.replayNext(run, "bob").replayed()).isEqualTo(2);
    }

    @Test
    void goesOnBehindTheLastBatchAfterOneThatWasRolledBack() {
        LetterGroup gone = dead(30, "file 1 is gone");
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        ReplayRunId run = letters.startReplay(gone, 1000, ALLOWED).id();
        passed("1 hour");
        try (Sql sql = database.sql()) {
            assertThat(next(sql, run, 10)).isEqualTo(10);
            passed("1 hour");
            sql.run("BEGIN");
            assertThat(next(sql, run, 10)).isEqualTo(10);
            assertThat(sql.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                    .isEqualTo(20);
            sql.run("ROLLBACK");
        }
        assertThat(letters.run(run).replayed()).isEqualTo(10);
        assertThat(count("job_queue")).isEqualTo(10);
        assertThat(letters.group(gone).counts().manualReplay()).isEqualTo(20);

        ReplayRun resumed = letters.replayNext(run, "carl");

        assertThat(resumed.state()).isEqualTo(ReplayRun.State.DONE);
        assertThat(resumed.replayed()).isEqualTo(30);
        assertThat(count("job_queue")).isEqualTo(30);
        assertThat(
                        database.list(
                                row -> row.getString(1),
                                "SELECT triaged_by || ' ' || count(*) FROM oneroof.job_dead_letter GROUP BY triaged_by ORDER BY 1"))
                .as("who did which")
                .containsExactly("carl 20", database.address().user() + " 10");
    }

    @Test
    void replaysNoLetterTwiceForTwoAtOnce() {
        LetterGroup gone = dead(10, "file 1 is gone");
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        ReplayRunId run = letters.startReplay(gone, 1000, ALLOWED).id();
        passed("1 hour");
        try (Sql first = database.sql()) {
            first.run("BEGIN");
            assertThat(next(first, run, 4)).isEqualTo(4);
            CompletableFuture<ReplayRun> second = nextWaiting(run);
            first.run("COMMIT");

            ReplayRun both = second.join();
            assertThat(both.replayed()).isEqualTo(10);
            assertThat(both.state()).isEqualTo(ReplayRun.State.DONE);
        }
        assertThat(count("job_queue")).isEqualTo(10);
        assertThat(database.value(Long.class, "SELECT count(DISTINCT replayed_as) FROM oneroof.job_dead_letter"))
                .isEqualTo(10);
    }

    /** One letter is replayed singly while a run reaches it: the first of the two replays it. */
    @Test
    void leavesOutALetterThatIsJustReplayedAlone() {
        LetterGroup gone = dead(3, "file 1 is gone");
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        ReplayRunId run = letters.startReplay(gone, 1000, ALLOWED).id();
        passed("1 hour");
        try (Sql first = database.sql()) {
            first.run("BEGIN");
            first.run("SELECT oneroof.fn_job_dead_letter_replay('%s', 'ticket 1', 'carl')"
                    .formatted(ids(gone).get(1)));
            CompletableFuture<ReplayRun> second = nextWaiting(run);
            first.run("COMMIT");
            assertThat(second.join().replayed()).isEqualTo(2);
        }
        assertThat(count("job_queue")).isEqualTo(3);
    }

    @Test
    void hasOneRateForTwoAtOnce() {
        LetterGroup gone = dead(10, "file 1 is gone");
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        ReplayRunId run = letters.startReplay(gone, 0.01, ALLOWED).id();
        try (Sql first = database.sql()) {
            first.run("BEGIN");
            assertThat(next(first, run, 10)).isEqualTo(1);
            CompletableFuture<ReplayRun> second = nextWaiting(run);
            first.run("COMMIT");
            assertThat(second.join().replayed()).isEqualTo(1);
        }
        assertThat(count("job_queue")).isEqualTo(1);
    }

    @Test
    void keepsToItsRateByTheDatabasesClock() {
        LetterGroup gone = dead(300, "file 1 is gone");
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        ReplayRunId run = letters.startReplay(gone, 0.01, ALLOWED).id();

        assertThat(letters.replayNext(run, "bob").replayed()).as("one at once").isEqualTo(1);
        ReplayRun early = letters.replayNext(run, "carl");
        assertThat(early.replayed()).as("whoever asks").isEqualTo(1);
        assertThat(early.untilNext()).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(100));
        passed("40 seconds");
        assertThat(letters.replayNext(run, "bob").replayed()).isEqualTo(1);
        passed("65 seconds");
        assertThat(letters.replayNext(run, "bob").replayed()).isEqualTo(2);
        passed("1 day");
        assertThat(letters.replayNext(run, "bob").replayed())
                .as("nothing is saved up")
                .isEqualTo(3);
        database.run("UPDATE oneroof.job_dead_letter_replay_run SET refilled_at = now() + interval '1 day'");
        assertThat(letters.replayNext(run, "bob").replayed())
                .as("the clock went back")
                .isEqualTo(3);
        passed("110 seconds");
        assertThat(letters.replayNext(run, "bob").replayed())
                .as("it continues from there")
                .isEqualTo(4);

        letters.cancelReplay(run, ANN);
        ReplayRunId quicker = letters.startReplay(gone, 100, ALLOWED).id();
        passed("1 day");
        assertThat(letters.replayNext(quicker, "bob").replayed())
                .as("a second's worth at most")
                .isEqualTo(100);
    }

    @Test
    void replaysAGroupByOneRunAtATimeUntilItIsCancelled() {
        LetterGroup gone = dead(3, "file 1 is gone");
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        ReplayRunId run = letters.startReplay(gone, 0.01, ALLOWED).id();
        letters.replayNext(run, "bob");
        assertThatThrownBy(() -> letters.startReplay(gone, 5, ALLOWED))
                .hasMessageContaining("'%s' is being replayed by run '%s'; resume or cancel that one", gone, run);

        ReplayRun cancelled = letters.cancelReplay(run, ANN);

        assertThat(cancelled.state()).isEqualTo(ReplayRun.State.CANCELLED);
        assertThat(cancelled.left()).isEqualTo(2);
        passed("1 hour");
        assertThat(letters.replayNext(run, "bob")).isEqualTo(cancelled);
        assertThat(count("job_queue")).isEqualTo(1);
        assertThatThrownBy(() -> letters.cancelReplay(run, ANN)).hasMessageContaining("'%s' is cancelled already", run);
        assertThat(letters.startReplay(gone, 5, ALLOWED).letters()).isEqualTo(2);
        assertThat(database.value(
                        String.class,
                        "SELECT concat_ws(' ', actor, reason, details ->> 'replayed') FROM oneroof.operator_act"
                                + " WHERE act = 'job_dead_letter_replay_cancel'"))
                .isEqualTo("ann the disk is back 1");
    }

    /** 500 bytes are allowed, and two hundred and fifty characters can be as many. */
    @Test
    void cutsALongKeyByBytesAndSplitsNoCharacter() {
        Map<String, String> cut = Map.of(
                "k".repeat(500),
                "k".repeat(400),
                "ü".repeat(250),
                "ü".repeat(200),
                "€".repeat(166),
                "€".repeat(133),
                "😀".repeat(125),
                "😀".repeat(100),
                "short",
                "short",
                // What a replay of a replay adds takes the place of the last.
                "k:replay:" + UUID.randomUUID(),
                "k");
        List<JobDeadLetterId> ids = ids(dead(cut.size(), "file 1 is gone"));
        List<String> keys = List.copyOf(cut.keySet());
        for (int n = 0; n < ids.size(); n++) {
            database.run(
                    "UPDATE oneroof.job_dead_letter SET idempotency_key = ? WHERE dead_letter_id = ?",
                    keys.get(n),
                    ids.get(n).value());
        }
        letters.triage(ids, Triage.MANUAL_REPLAY, ANN);

        letters.replay(ids, ALLOWED);

        List<String> expected = IntStream.range(0, ids.size())
                .mapToObj(n -> cut.get(keys.get(n)) + ":replay:" + ids.get(n))
                .toList();
        assertThat(database.list(row -> row.getString(1), "SELECT idempotency_key FROM oneroof.job_queue"))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void closesNoLetterWhoseNewJobWasNotMade() {
        LetterGroup gone = dead(2, "file 1 is gone");
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_idempotency_key => 'replay:%s')"
                .formatted(ids(gone).get(1)));
        ReplayRunId run = letters.startReplay(gone, 100, ALLOWED).id();
        passed("1 hour");

        assertThatThrownBy(() -> letters.replayNext(run, "bob"))
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
                .hasMessageContaining(
                        "'replay:%s', under which a dead letter would be replayed, is alive",
                        ids(gone).get(1));

        assertThat(letters.group(gone).counts().manualReplay()).isEqualTo(2);
        assertThat(count("job_queue")).isEqualTo(1);
    }

    @Test
    void forgetsRunsWithTheirLetters() {
        LetterGroup gone = dead(2, "file 1 is gone");
        letters.triageGroup(gone, Triage.MANUAL_REPLAY, ANN, count -> {});
        ReplayRunId run = letters.startReplay(gone, 0.01, ALLOWED).id();
        letters.replayNext(run, "bob");
        letters.cancelReplay(run, ANN);
        letters.startReplay(gone, 1, ALLOWED);
        database.run("UPDATE oneroof.job_dead_letter SET resolved_at = now() - interval '100 days'"
                + " WHERE resolved_at IS NOT NULL");
        database.run("UPDATE oneroof.job_dead_letter_replay_run SET ended_at = now() - interval '100 days'"
                + " WHERE ended_at IS NOT NULL");

        assertThat(database.value(Long.class, "SELECT oneroof.fn_job_dead_letter_drop(interval '90 days')"))
                .isEqualTo(1);

        assertThat(count("job_dead_letter")).isEqualTo(1);
        assertThat(database.value(String.class, "SELECT state FROM oneroof.job_dead_letter_replay_run"))
                .isEqualTo("running");
    }

    @Test
    void refusesBadArgumentsAndSaysWhatIsAllowed() {
        """
            fn_job_dead_letter_triage_group('mark_file', 'f', 'new', '', 'ann') | triage_status: 'new' is not allowed
            fn_job_dead_letter_triage_group('mark_file', 'f', 'closed', repeat('ü', 1001), 'ann') | of 2002 bytes is not allowed; allowed are at most 2000 bytes
            fn_job_dead_letter_triage_group('mark_file', 'f', 'closed', '', ' ') | actor: ' ' is not allowed; allowed are 1 to 500 bytes, not all blank
            fn_job_dead_letter_triage_group('mark_file', 'f', 'closed', '', 'ann', p_limit => 0) | limit: '0' is not allowed; allowed are 1 to 10000
            fn_job_dead_letter_triage_group('mark_file', 'f', 'closed', '', 'ann') | group: there is no open dead letter of 'mark_file/f'
            fn_job_dead_letter_triage_group(NULL, NULL, 'closed', '', 'ann') | group: there is no open dead letter of '/'
            fn_job_dead_letter_replay_start('mark_file', 'f', ' ', 1) | authorization_source: ' ' is not allowed
            fn_job_dead_letter_replay_start('mark_file', 'f', 'x', 0) | rate: '0' is not allowed; allowed are 0.01 to 10000 letters a second
            fn_job_dead_letter_replay_start('mark_file', 'f', 'x', 'NaN') | rate: 'NaN' is not allowed
            fn_job_dead_letter_replay_start('mark_file', 'f', 'x', NULL) | rate: '' is not allowed
            fn_job_dead_letter_replay_start('mark_file', 'f', 'x', 1) | group: there is no open dead letter of 'mark_file/f'
            fn_job_dead_letter_replay_next('01900000-0000-7000-8000-000000000000', 0) | limit: '0' is not allowed; allowed are 1 to 10000
            fn_job_dead_letter_replay_next('01900000-0000-7000-8000-000000000000') | replay run: there is no '01900000-0000-7000-8000-000000000000'
            fn_job_dead_letter_replay_next(NULL) | replay run: there is no ''
            fn_job_dead_letter_replay_cancel('01900000-0000-7000-8000-000000000000', '', 'ann') | reason: '' is not allowed
            fn_job_dead_letter_replay_cancel('01900000-0000-7000-8000-000000000000', 'x', 'ann') | replay run: there is no
            """.lines().map(line -> line.split(" \\| ", 2)).forEach(
                call -> assertThatThrownBy(() -> database.run("SELECT oneroof." + call[0]))
                        .as(call[0])
                        .hasMessageContaining(call[1]));
    }

    @Test
    void letsViewersLookAndAdministratorsActAndExecutorsNeither() {
        LetterGroup gone = dead(1, "file 1 is gone");
        String triage = "SELECT oneroof.fn_job_dead_letter_triage_group('%s', '%s', 'manual_replay', 'x', 'ann')"
                .formatted(gone.kind(), gone.fingerprint());
        String start = "SELECT oneroof.fn_job_dead_letter_replay_start('%s', '%s', 'x', 1, 'ann')"
                .formatted(gone.kind(), gone.fingerprint());
        String look = "SELECT * FROM oneroof.v_job_dead_letter_group, oneroof.job_dead_letter_replay_run";
        String bare = "SELECT oneroof.fn_job_dead_letter_put_back(ARRAY['%s']::uuid[], 'x', 'y', NULL)"
                .formatted(ids(gone).getFirst());
        try (Sql sql = database.sql()) {
            sql.run("SET ROLE oneroof_viewer");
            sql.run(look);
            List.of(triage, start, bare).forEach(denied -> assertDenied(sql, denied));
            sql.run("SET ROLE dot_executor");
            List.of(look, triage, start, bare).forEach(denied -> assertDenied(sql, denied));
            sql.run("SET ROLE workflow_admin");
            List.of(look, triage, start).forEach(sql::run);
            assertDenied(sql, bare);
            sql.run("SET ROLE oneroof_server");
            assertDenied(sql, bare);
        }
    }

    private static void assertDenied(Sql sql, String statement) {
        assertThatThrownBy(() -> sql.run(statement)).as(statement).hasMessageContaining("42501");
    }

    /** So many jobs that were given up. */
    private LetterGroup dead(int count, String error) {
        database.run(
                "INSERT INTO oneroof.job_dead_letter (dead_letter_id, job_id, job_kind, event_domain, priority, attempts,"
                        + " max_attempts, payload, error_class, last_error, fingerprint, enqueued_at, last_failed_at)"
                        + " SELECT oneroof.fn_uuid_v7(), gen_random_uuid(), 'mark_file', 'cut', 7, 3, 3,"
                        + " jsonb_build_object('ref', n), 'IOException', ?,"
                        + " oneroof.fn_job_fingerprint('mark_file', 'IOException', ?), now(), clock_timestamp()"
                        + " FROM generate_series(1, ?) n",
                error,
                error,
                count);
        return new LetterGroup(
                "mark_file",
                database.value(
                        String.class, "SELECT oneroof.fn_job_fingerprint('mark_file', 'IOException', ?)", error));
    }

    private List<JobDeadLetterId> ids(LetterGroup group) {
        return database.list(
                row -> new JobDeadLetterId(row.getObject(1, UUID.class)),
                "SELECT dead_letter_id FROM oneroof.job_dead_letter WHERE fingerprint = ? ORDER BY dead_letter_id",
                group.fingerprint());
    }

    private List<JobDeadLetterId> listed(
            LetterGroup group, @Nullable Triage status, @Nullable JobDeadLetterId after, int limit) {
        return letters.list(group.kind(), group.fingerprint(), status, after, limit).stream()
                .map(JobDeadLetter::id)
                .toList();
    }

    /** As if it had passed since the last batch. */
    private void passed(String time) {
        database.run(
                "UPDATE oneroof.job_dead_letter_replay_run SET refilled_at = refilled_at - interval '%s' WHERE state = 'running'"
                        .formatted(time));
    }

    private static long next(Sql sql, ReplayRunId run, int limit) {
        return sql.value(
                Long.class,
                "SELECT (oneroof.fn_job_dead_letter_replay_next('%s', %d) ->> 'batch')::bigint".formatted(run, limit));
    }

    /** Requests the next batch, and returns when that waits for another one. */
    private CompletableFuture<ReplayRun> nextWaiting(ReplayRunId run) {
        CompletableFuture<ReplayRun> batch = CompletableFuture.supplyAsync(() -> letters.replayNext(run, "bob"));
        Await.patiently()
                .until(
                        "one waits for the other",
                        () -> database.inspect(sql -> sql.value(
                                        Long.class,
                                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                                + " AND wait_event_type = 'Lock'"))
                                == 1);
        return batch;
    }

    private long count(String table) {
        return database.value(Long.class, "SELECT count(*) FROM oneroof." + table);
    }

    private void gate(boolean open) {
        database.run("UPDATE oneroof.dot_config SET value = '%s' WHERE key = 'queue.replay.enabled'".formatted(open));
    }
}
