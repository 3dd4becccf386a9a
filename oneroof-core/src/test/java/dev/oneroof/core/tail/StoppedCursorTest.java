package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.OwnServer;
import dev.oneroof.testkit.server.PostgresVersion;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pause, hold, replay, skip and accept: durable, with who and why, and never committed over by a batch under way. */
@OneRoofTest
class StoppedCursorTest {
    private static final OperatorAct ANN = new OperatorAct("ann", "a look");
    private static final String FACTS = "CREATE TABLE public.fact (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)";
    private static final String TWENTY_FACTS = "INSERT INTO public.fact SELECT FROM generate_series(1, 20)";

    @Test
    void standsStillWhilePausedAndGoesOnAfterwards(TestDatabase database, Given given) {
        TailFixture tailing = caughtUp(database, given);
        Lease lease = tailing.claim("b");
        Cursors cursors = new Cursors(tailing.db);

        cursors.pause(tailing.scope, ANN, null);
        given.births(5);

        Await.patiently()
                .until(
                        "the pause to be seen",
                        () -> tailing.runOnce(lease)
                                .equals(new Pass.Held("paused by ann: a look", Duration.ofSeconds(1))));
        assertThat(CopyKeys.seen(database)).hasSize(20);
        assertThat(cursors.resume(tailing.scope, ANN)).isTrue();
        assertThat(cursors.resume(tailing.scope, ANN)).as("a second time").isFalse();
        tailing.until(lease, () -> CopyKeys.seen(database).size() == 25);
        assertThat(acts(database)).containsExactly("cursor_pause by ann", "cursor_resume by ann");
    }

    @Test
    void goesOnByItselfWhenAPauseIsOver(TestDatabase database, Given given) {
        TailFixture tailing = caughtUp(database, given);
        Lease lease = tailing.claim("b");

        new Cursors(tailing.db).pause(tailing.scope, ANN, Duration.ofMillis(300));
        given.births(5);

        tailing.until(lease, () -> CopyKeys.seen(database).size() == 25);
    }

    @Test
    void commitsNoBatchOverAPauseThatCameBetween(TestDatabase database, Given given) {
        given.births(10);
        database.run(CopyKeys.TABLE);
        AtomicBoolean first = new AtomicBoolean(true);
        TailFixture[] made = new TailFixture[1];
        made[0] = new TailFixture(database, births(), (tx, page) -> {
            if (first.getAndSet(false)) {
                new Cursors(made[0].db).pause(made[0].scope, ANN, null);
            }
            return new CopyKeys().apply(tx, page);
        });
        Lease lease = made[0].claim("a");

        Pass pass = made[0].runOnce(lease);

        assertThat(pass).isEqualTo(new Pass.Worked(0));
        assertThat(made[0].runOnce(lease)).isInstanceOf(Pass.Held.class);
        assertThat(CopyKeys.seen(database)).isEmpty();
    }

    @Test
    void handsOutAgainWhatLiesBehindAReplay(TestDatabase database, Given given) {
        TailFixture tailing = caughtUp(database, given);
        Lease lease = tailing.claim("b");
        Cursors cursors = new Cursors(tailing.db);
        Watermark to = database.list(
                        row -> new Watermark(row.getString(1), row.getString(2)),
                        "SELECT born_at::text, id::text FROM birth_registry b ORDER BY b.born_at, b.id")
                .get(9);

        assertThat(cursors.previewReplay(tailing.scope, to).rows()).isEqualTo(10);
        assertThat(CopyKeys.seen(database)).as("a preview changes nothing").hasSize(20);
        assertRefused(() -> cursors.replay(tailing.scope, to, ANN), "gate: 'queue.replay.enabled' is closed");
        tailing.allowReplays();
        cursors.replay(tailing.scope, to, ANN);

        tailing.until(lease, () -> CopyKeys.seen(database).size() == 30);
        assertThat(CopyKeys.seen(database).subList(20, 30))
                .isEqualTo(CopyKeys.seen(database).subList(10, 20));
        tailing.until(
                lease, () -> database.value(Boolean.class, "SELECT replay IS NULL FROM oneroof.gov_worker_cursor"));
        cursors.replay(tailing.scope, null, ANN);
        tailing.until(lease, () -> CopyKeys.seen(database).size() == 50);
        assertThat(acts(database)).containsExactly("cursor_replay by ann", "cursor_replay by ann");
    }

    @Test
    void refusesAReplayThatIsNone(TestDatabase database, Given given) {
        TailFixture tailing = caughtUp(database, given);
        Cursors cursors = new Cursors(tailing.db);

        assertRefused(
                () -> cursors.replay(tailing.scope, new Watermark("2999-01-01T00:00:00Z", null), ANN),
                "a replay goes back");
        assertRefused(
                () -> cursors.replay(tailing.scope, new Watermark("2001-02-29T00:00:00Z", null), ANN),
                "'2001-02-29T00:00:00Z' cannot be read");
        assertRefused(
                () -> cursors.replay(tailing.scope, new Watermark("yesterday", null), ANN),
                "to_time: 'yesterday' is not allowed; allowed is an ISO-8601 time with zone, such as 2026-01-31T09:30:00Z");
        assertRefused(
                () -> cursors.replay(tailing.scope, new Watermark(null, "7"), ANN), "a time, or a time and an id");
        assertRefused(() -> new OperatorAct("ann", " "), "reason: ' ' is not allowed");
        assertRefused(() -> cursors.pause(tailing.scope, ANN, Duration.ZERO), "for: '0s' is not allowed");
        assertRefused(
                () -> cursors.pause(dev.oneroof.core.lease.Scope.of("nobody", "nothing"), ANN, null),
                "there is no worker and no cursor 'nobody/nothing/0'");
        assertRefused(() -> cursors.accept(tailing.scope, ANN), "nothing to accept");
        assertThat(acts(database)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
                    seen_system = 'another'           ; another_past         ; cursor_contract_broken
                    seen_xid = '99999999999'          ; another_past         ; cursor_contract_broken
                    seen_lsn = 'FFFF/0'               ; another_past         ; cursor_contract_broken
                    settled_ts = '2001-01-01'         ; watermark_regression ; cursor_watermark_regression
                    settled_ts = NULL, settled_id = NULL ; watermark_regression ; cursor_watermark_regression
                    """)
    void holdsWhenItsPastIsAnotherUntilAnOperatorHasLooked(
            String change, String state, String finding, TestDatabase database, Given given) {
        TailFixture tailing = caughtUp(database, given);
        database.run("UPDATE oneroof.gov_worker_cursor SET " + change);
        Lease lease = tailing.claim("b");

        assertThat(tailing.runOnce(lease)).isInstanceOf(Pass.Held.class);

        assertThat(tailing.cursor().state()).isInstanceOf(Cursor.State.Held.class);
        assertThat(database.value(String.class, "SELECT hold_state FROM oneroof.gov_worker_cursor"))
                .isEqualTo(state);
        assertThat(findings(database)).containsExactly(finding);
        given.births(5);
        assertThat(tailing.runOnce(lease)).isInstanceOf(Pass.Held.class);
        assertThat(CopyKeys.seen(database)).hasSize(20);

        new Cursors(tailing.db).accept(tailing.scope, ANN);

        tailing.until(lease, () -> CopyKeys.seen(database).size() >= 25);
        assertThat(findings(database)).doesNotContain("cursor_watermark_regression");
        assertThat(acts(database)).containsExactly("cursor_accept by ann");
    }

    @Test
    void holdsWhenAnEffectTakesTheWatermarkBack(TestDatabase database, Given given) {
        given.births(20);
        database.run(CopyKeys.TABLE);
        TailFixture tailing = new TailFixture(database, births().inBatchesOf(5).in(Mode.STRICT), (tx, page) -> {
            Batch batch = new CopyKeys().apply(tx, page);
            return new Batch(batch.rowsSeen(), batch.effectsWritten(), new Watermark("1999-01-01 00:00:00+00", "1"));
        });
        Lease lease = tailing.claim("a");

        tailing.until(lease, () -> tailing.cursor().state() instanceof Cursor.State.Held);

        assertThat(findings(database)).contains("cursor_watermark_regression");
        assertThat(CopyKeys.seen(database)).doesNotHaveDuplicates();
    }

    @Test
    void holdsWhenTheCollationOfItsKeyHasChanged(TestDatabase database) {
        database.run(
                "CREATE TABLE public.named (name text COLLATE \"C\" PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())");
        database.run("INSERT INTO public.named VALUES ('a'), ('b')");
        TailSource named = TailSource.of("named", "public", "named", "name", IdType.TEXT)
                .timedBy("at", TimeType.TIMESTAMPTZ)
                .under(OrderContract.EXTERNAL)
                .rereading(Duration.ofMillis(1));
        TailFixture tailing = tailing(database, named);
        tailing.until(tailing.claim("a"), () -> CopyKeys.seen(database).size() == 2);
        database.run("ALTER TABLE public.named ALTER COLUMN name TYPE text COLLATE \"POSIX\"");
        Lease lease = tailing.claim("b");

        assertThat(tailing.runOnce(lease)).isInstanceOf(Pass.Held.class);

        assertThat(database.value(String.class, "SELECT hold_state FROM oneroof.gov_worker_cursor"))
                .isEqualTo("collation_changed");
        assertThat(findings(database)).containsExactly("cursor_contract_broken");
        database.run("INSERT INTO public.named VALUES ('c')");
        assertThat(tailing.runOnce(lease)).isInstanceOf(Pass.Held.class);
        assertThat(CopyKeys.seen(database)).hasSize(2);

        new Cursors(tailing.db).accept(tailing.scope, ANN);

        tailing.until(lease, () -> CopyKeys.seen(database).size() == 3);
    }

    /** Its tables were copied, as a dump would: the other server's transactions and log are not the cursor's. */
    @Test
    void holdsOnAnotherCluster(TestDatabase database) {
        database.run(FACTS);
        TailFixture here = tailing(database, facts());
        database.run(TWENTY_FACTS);
        here.until(here.claim("a"), () -> here.cursor().settled() != null);
        String cursor = kept(database).replaceAll("\"(seen_xid|seen_lsn)\": [^,]+", "\"$1\": null");

        try (OwnServer server = OwnServer.start(PostgresVersion.BUNDLED)) {
            TestDatabase copy = server.newDatabase();
            copy.run(FACTS);
            TailFixture there = tailing(copy, facts());
            copy.run(TWENTY_FACTS);
            putBack(copy, cursor);

            assertHeldByAnotherPast(copy, there);

            assertThat(CopyKeys.seen(copy)).isEmpty();
        }
    }

    /** The cursor's row outlived the loss, in a dump or elsewhere, and what it has seen is ahead of the server's log. */
    @Test
    void holdsOnAClusterRestoredToAnEarlierTime() {
        try (OwnServer server = OwnServer.start(PostgresVersion.BUNDLED)) {
            TestDatabase database = server.newDatabase();
            database.run(FACTS);
            TailFixture tailing = tailing(database, facts());
            database.run(TWENTY_FACTS);
            tailing.until(tailing.claim("a"), () -> CopyKeys.seen(database).size() == 20);
            server.backUp();
            for (int n = 0; n < 50; n++) {
                database.value(String.class, "SELECT pg_current_xact_id()::text");
            }
            database.run(TWENTY_FACTS);
            // A crash takes the sequence ahead: the last id is not 40.
            String last = database.value(String.class, "SELECT max(id)::text FROM public.fact");
            tailing.until(
                    tailing.claim("a"),
                    () -> new Watermark(null, last).equals(tailing.cursor().settled()));
            String later = kept(database);

            server.restore();
            assertThat(database.value(Long.class, "SELECT count(*) FROM public.fact"))
                    .isEqualTo(20);
            putBack(database, later);
            // Their ids are given out a second time: a cursor that believed its watermark would pass them by.
            database.run(TWENTY_FACTS);

            assertHeldByAnotherPast(database, tailing);

            assertThat(CopyKeys.seen(database)).hasSize(20);
        }
    }

    private static String kept(TestDatabase database) {
        return database.value(String.class, "SELECT to_jsonb(c)::text FROM oneroof.gov_worker_cursor c");
    }

    private static void putBack(TestDatabase database, String cursor) {
        database.run("DELETE FROM oneroof.gov_worker_cursor");
        database.run("INSERT INTO oneroof.gov_worker_cursor"
                + " SELECT * FROM jsonb_populate_record(NULL::oneroof.gov_worker_cursor, '%s')"
                        .formatted(cursor.replace("'", "''")));
    }

    private static void assertHeldByAnotherPast(TestDatabase database, TailFixture tailing) {
        assertThat(tailing.runOnce(tailing.claim("b"))).isInstanceOf(Pass.Held.class);
        assertThat(database.value(String.class, "SELECT hold_state FROM oneroof.gov_worker_cursor"))
                .isEqualTo("another_past");
        assertThat(findings(database)).containsExactly("cursor_contract_broken");
    }

    @Test
    void tellsOfALeaseThatFlaps(TestDatabase database, Given given) {
        TailFixture tailing = caughtUp(database, given);
        tailing.claim("b");
        tailing.claim("b");
        tailing.claim("a");
        assertThat(tailing.runOnce(tailing.claim("a"))).isInstanceOf(Pass.Idle.class);
        assertThat(findings(database)).isEmpty();

        Lease third = tailing.claim("c");
        tailing.until(third, () -> findings(database).contains("cursor_lease_conflict"));

        database.run("UPDATE oneroof.queue_heartbeat SET metadata = jsonb_build_object('taken_over_at',"
                + " jsonb_build_array(now() - interval '11 minutes', now() - interval '12 minutes', now()))");
        Lease fourth = tailing.claim("c");
        tailing.until(fourth, () -> findings(database).isEmpty());
    }

    @Test
    void waitsNoLongerForATransactionThatIsSkipped(TestDatabase database, Given given) {
        given.births(5);
        TailFixture tailing = tailing(database, births().in(Mode.STRICT));
        Lease lease = tailing.claim("a");
        try (Sql open = database.sql()) {
            open.run("BEGIN");
            open.run("SELECT 1");
            for (int passes = 0; passes < 10; passes++) {
                tailing.runOnce(lease);
            }
            assertThat(CopyKeys.seen(database)).isEmpty();
            Cursors cursors = new Cursors(tailing.db);
            String holder = open.value(
                    String.class,
                    "SELECT virtualtransaction FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'virtualxid'");
            assertThat(cursors.show(tailing.scope).openTransactions())
                    .anyMatch(shown -> shown.startsWith(holder + " pid "));

            cursors.skip(tailing.scope, holder, ANN, Duration.ofMinutes(1));

            tailing.until(lease, () -> CopyKeys.seen(database).size() == 5);
            assertRefused(
                    () -> cursors.skip(tailing.scope, "999/999", ANN, Duration.ofMinutes(1)), "no open transaction");
            open.run("ROLLBACK");
        }
        assertThat(acts(database)).containsExactly("cursor_skip by ann");
    }

    @Test
    void tellsBothHandsAndHowFarBehindTheyAre(TestDatabase database, Given given) {
        TailFixture tailing = caughtUp(database, given);
        given.births(7);

        CursorReport.Report report = new Cursors(tailing.db).show(tailing.scope);

        assertThat(report.rowsBehind()).isEqualTo(7);
        assertThat(report.lagSeconds()).isNotNull();
        assertThat(report.cursor().eventsSeen()).isEqualTo(20);
    }

    /** A long transaction may commit a great many rows below what was handled meanwhile. */
    @Test
    void tellsOfRowsBelowHeadThatAreNotHandled(TestDatabase database, Given given) {
        TailFixture tailing = caughtUp(database, given);
        Lease lease = tailing.claim("a");
        try (Sql late = database.sql()) {
            late.run("BEGIN");
            late.run(
                    "INSERT INTO birth_registry (born_at, collection_name, entity_code) SELECT now(), 'c', 'late-' || n"
                            + " FROM generate_series(1, 6) n");
            database.run(
                    "INSERT INTO birth_registry (born_at, collection_name, entity_code) VALUES (now(), 'c', 'later')");
            tailing.until(lease, () -> CopyKeys.seen(database).size() == 21);
            late.run("COMMIT");

            CursorReport.Report report = new Cursors(tailing.db).show(tailing.scope);
            assertThat(report.rowsBehind()).isEqualTo(6);
            assertThat(report.lagSeconds()).isNotNull();
        }
        tailing.until(lease, () -> CopyKeys.seen(database).size() == 27);
        assertThat(new Cursors(tailing.db).show(tailing.scope).rowsBehind()).isZero();
    }

    @Test
    void raisesLagAlsoWhilePaused(TestDatabase database) {
        database.run("CREATE TABLE public.timed (at timestamptz NOT NULL, id integer, PRIMARY KEY (at, id))");
        database.run("INSERT INTO public.timed VALUES (now() - interval '1 hour', 1)");
        database.run(CopyKeys.TABLE);
        TailSource source = TailSource.of("timed", "public", "timed", "id", IdType.INTEGER)
                .timedBy("at", TimeType.TIMESTAMPTZ)
                .polledEvery(Duration.ofMillis(10));
        TailFixture tailing = new TailFixture(database, source, new CopyKeys());
        Cursors cursors = new Cursors(tailing.db);
        cursors.pause(tailing.scope, ANN, null);
        Lease lease = tailing.claim("a");

        tailing.until(lease, () -> findings(database).equals(List.of("cursor_lag")));
        cursors.resume(tailing.scope, ANN);

        tailing.until(lease, () -> findings(database).isEmpty());
        assertThat(CopyKeys.seen(database)).hasSize(1);
    }

    private static TailFixture caughtUp(TestDatabase database, Given given) {
        given.births(20);
        TailFixture tailing = tailing(database, births());
        Lease lease = tailing.claim("a");
        tailing.until(
                lease,
                () -> CopyKeys.seen(database).size() == 20 && tailing.cursor().settled() != null);
        return tailing;
    }

    private static TailFixture tailing(TestDatabase database, TailSource source) {
        database.run(CopyKeys.TABLE);
        return new TailFixture(database, source, new CopyKeys());
    }

    private static TailSource facts() {
        return TailSource.of("facts", "public", "fact", "id", IdType.BIGINT).polledEvery(Duration.ofMillis(10));
    }

    private static TailSource births() {
        return TailSource.of("birth_registry", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .polledEvery(Duration.ofMillis(10));
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable act, String why) {
        assertThatThrownBy(act).isInstanceOf(OneRoofException.class).hasMessageContaining(why);
    }

    private static List<String> acts(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT act || ' by ' || actor FROM oneroof.operator_act WHERE act LIKE 'cursor%' ORDER BY act_id");
    }

    private static List<String> findings(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT issue_type FROM oneroof.system_issues WHERE status = 'open' ORDER BY issue_type");
    }
}
