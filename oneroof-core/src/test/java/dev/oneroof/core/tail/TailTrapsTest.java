package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.read.BoundStore;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Traps that the tail once fell into. */
@OneRoofTest
class TailTrapsTest {

    /** To find the one row that a slow filter lets through takes eight seconds, and a read has five. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void goesInStepsWhereAFilterLetsHardlyAnyRowThrough(Mode mode, TestDatabase database) {
        database.run("CREATE TABLE public.t (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT FROM generate_series(1, 4000)");
        database.run("""
                CREATE FUNCTION public.is_rare(id bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
                BEGIN
                    PERFORM pg_sleep(0.002);
                    RETURN id = 4000;
                END $$
                """);
        database.run(CopyKeys.TABLE);
        TailFixture tailing = new TailFixture(database, numbered().in(mode).inBatchesOf(100), new CopyKeys());
        // Registering takes no function of a user's; one that sleeps is as slow on any machine.
        database.run("UPDATE oneroof.tail_source SET filter = 'public.is_rare(id)' WHERE source_name = 't'");
        Lease lease = tailing.claim("a");

        Await.upTo(Duration.ofSeconds(90)).until("the end", () -> {
            tailing.runOnce(lease);
            return !CopyKeys.seen(database).isEmpty();
        });

        assertThat(CopyKeys.seen(database)).containsExactly("4000");
    }

    @Test
    void tellsHandledTextKeysApartUnderACollationOfTheirOwn(TestDatabase database) throws Exception {
        database.run(
                "CREATE TABLE public.t (at date NOT NULL, id text COLLATE \"en-x-icu\" PRIMARY KEY, UNIQUE (at, id))");
        database.run("INSERT INTO public.t VALUES ('2026-01-01', 'a')");
        TailFixture tailing = tail(
                database,
                TailSource.of("t", "public", "t", "id", IdType.TEXT)
                        .timedBy("at", TimeType.DATE)
                        .under(OrderContract.EXTERNAL)
                        .polledEvery(Duration.ofMillis(10)));
        Lease lease = tailing.claim("a");
        tailing.turn(lease, 3);
        database.run("INSERT INTO public.t VALUES ('2026-01-01', 'B')");
        tailing.turn(lease, 5);
        assertThat(CopyKeys.seen(database)).containsExactly("a", "B");
    }

    @Test
    void goesOnWhenTheLastRowOfAnExternalSourceIsDeleted(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (k integer PRIMARY KEY, at date NOT NULL, UNIQUE (at, k))");
        database.run("INSERT INTO public.t SELECT n, '2026-01-01' FROM generate_series(1, 10) n");
        TailFixture tailing = tail(
                database,
                TailSource.of("t", "public", "t", "k", IdType.INTEGER)
                        .timedBy("at", TimeType.DATE)
                        .under(OrderContract.EXTERNAL)
                        .rereading(Duration.ofMillis(60))
                        .polledEvery(Duration.ofMillis(10)));
        Lease lease = tailing.claim("a");
        tailing.turn(lease, 3);
        tailing.turn(lease, 20);
        database.run("DELETE FROM public.t WHERE k = 10");
        tailing.turn(lease, 20);
        database.run("INSERT INTO public.t VALUES (11, '2026-01-01')");
        tailing.turn(lease, 10);
        assertThat(tailing.cursor().state()).isInstanceOf(Cursor.State.Active.class);
        assertThat(CopyKeys.seen(database)).hasSize(11).doesNotHaveDuplicates();
    }

    /** What the docs say of rows behind the re-read window: they are lost, and a replay finds them. */
    @Test
    void findsByAReplayWhatArrivedBehindTheWindow(TestDatabase database) {
        database.run("CREATE TABLE public.t (k integer PRIMARY KEY, at date NOT NULL, UNIQUE (at, k))");
        database.run("INSERT INTO public.t SELECT n, '2026-01-02' FROM generate_series(1, 10) n");
        TailFixture tailing = tail(
                database,
                TailSource.of("t", "public", "t", "k", IdType.INTEGER)
                        .timedBy("at", TimeType.DATE)
                        .under(OrderContract.EXTERNAL)
                        .rereading(Duration.ofMillis(60))
                        .polledEvery(Duration.ofMillis(10)));
        Lease lease = tailing.claim("a");
        tailing.until(
                lease,
                () -> CopyKeys.seen(database).size() == 10 && tailing.cursor().settled() != null);
        database.run("INSERT INTO public.t VALUES (11, '2026-01-01')");
        tailing.turn(lease, 20);
        assertThat(CopyKeys.seen(database)).doesNotContain("11");

        tailing.allowReplays();
        new Cursors(tailing.db)
                .replay(
                        tailing.scope,
                        new Watermark("2025-12-31", null),
                        new OperatorAct("ann", "rows behind the window"));
        tailing.until(lease, () -> CopyKeys.seen(database).contains("11"));
    }

    @Test
    void takesTheHighestKeyForTheTop(TestDatabase database) {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        TailFixture tailing = tail(database, numbered());
        database.run("INSERT INTO public.t SELECT generate_series(2, 10)");
        java.util.Optional<Watermark> top = tailing.db.inTx(tx -> new BoundStore().top(tx, numbered()));
        assertThat(top).contains(new Watermark(null, "10"));
    }

    @Test
    void takesTheLowestKeyForTheLowest(TestDatabase database) {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        TailFixture tailing = tail(database, numbered());
        database.run("INSERT INTO public.t SELECT generate_series(2, 10)");
        java.util.Optional<Watermark> lowest = tailing.db.inTx(tx -> new ContractStore().lowest(tx, numbered()));
        assertThat(lowest).contains(new Watermark(null, "2"));
    }

    @Test
    void raisesNothingWhenRowsAreDeleted(TestDatabase database) {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        TailFixture tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 11)");
        database.run("DELETE FROM public.t WHERE id = 1");
        tailing.turn(lease, 12);
        database.run("DELETE FROM public.t WHERE id IN (10, 11)");
        tailing.turn(lease, 12);
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void losesNoRowToOneWithoutAnId(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id integer UNIQUE DEFAULT 0)");
        database.run("CREATE SEQUENCE public.t_id_seq OWNED BY public.t.id");
        database.run("ALTER TABLE public.t ALTER id SET DEFAULT nextval('public.t_id_seq')");
        database.run("INSERT INTO public.t VALUES (NULL)");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 5)");
        TailFixture tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        try (Connection other = database.connect();
                Statement s = other.createStatement()) {
            other.setAutoCommit(false);
            s.execute("INSERT INTO public.t SELECT nextval('public.t_id_seq')");
            tailing.turn(lease, 3);
            database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 5)");
            tailing.turn(lease, 3);
            other.commit();
        }
        tailing.turn(lease, 12);
        assertThat(CopyKeys.seen(database)).hasSize(11);
    }

    @Test
    void raisesNothingForALateCommitBelowAllOthers(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        TailFixture tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        try (Connection early = database.connect();
                Statement s = early.createStatement()) {
            early.setAutoCommit(false);
            s.execute("INSERT INTO public.t DEFAULT VALUES");
            database.run("INSERT INTO public.t DEFAULT VALUES");
            tailing.turn(lease, 12);
            early.commit();
        }
        tailing.turn(lease, 20);
        assertThat(CopyKeys.seen(database)).containsExactlyInAnyOrder("1", "2");
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void raisesNothingForALargeLoad(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        TailFixture tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        database.run("INSERT INTO public.t DEFAULT VALUES");
        tailing.turn(lease, 20);
        try (Connection early = database.connect();
                Statement s = early.createStatement()) {
            early.setAutoCommit(false);
            s.execute("SELECT count(nextval('public.t_id_seq')) FROM generate_series(1, 1100000)");
            tailing.turn(lease, 12);
            early.rollback();
        }
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void trimsNoKeyThatIsNeededAfterAClockStep(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        database.run(CopyKeys.TABLE);
        TailFixture tailing = new TailFixture(
                database, numbered(), new CopyKeys(), TailFixture.watchful(Duration.ofMinutes(10), 50_000));
        Lease lease = tailing.claim("a");
        for (int n = 0; n < 4; n++) {
            database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 5)");
            tailing.turn(lease, 8);
        }
        assertThat(CopyKeys.seen(database)).hasSize(20);
        // The first batch was settled by a clock that was two minutes ahead of the one that settled the others.
        database.run("UPDATE oneroof.tail_stretch SET settled_at = settled_at - interval '20 minutes'"
                + " + CASE WHEN last_id = '5' THEN interval '2 minutes' ELSE interval '0' END"
                + " WHERE settled_at IS NOT NULL AND last_id::int <= 15");
        tailing.turn(lease, 12);
        assertThat(CopyKeys.seen(database)).hasSize(20);
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void countsNoLagForAHandledRowThatWasDatedInTheFuture(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (at timestamptz NOT NULL DEFAULT now(), id integer, PRIMARY KEY (at, id))");
        database.run("INSERT INTO public.t VALUES (now() - interval '1 minute', 1), (now() + interval '8 seconds', 2)");
        TailFixture tailing = tail(
                database,
                TailSource.of("t", "public", "t", "id", IdType.INTEGER)
                        .timedBy("at", TimeType.TIMESTAMPTZ)
                        .behindAfter(Duration.ofSeconds(3))
                        .polledEvery(Duration.ofMillis(10)));
        Lease lease = tailing.claim("a");
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (System.nanoTime() < until) {
            tailing.turn(lease, 2);
        }
        assertThat(CopyKeys.seen(database)).containsExactly("1", "2");
        assertThat(database.list(
                        row -> row.getString(1), "SELECT summary FROM oneroof.system_issues WHERE status = 'open'"))
                .isEmpty();
    }

    @Test
    void raisesNothingForARowThatHasComeToFitTheFilter(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY, paid boolean NOT NULL DEFAULT false)");
        TailFixture tailing = tail(database, numbered().where("paid"));
        Lease lease = tailing.claim("a");
        database.run("INSERT INTO public.t (paid) VALUES (true), (false), (true)");
        tailing.turn(lease, 10);
        database.run("UPDATE public.t SET paid = true WHERE id = 2");
        tailing.turn(lease, 10);
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void looksKeysOfALongStretchUpByHash(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        TailFixture tailing = tail(database, numbered());
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 400000)");
        database.run("INSERT INTO oneroof.tail_stretch (worker_name, source_name, shard, keys_ts, keys_id, key_count)"
                + " SELECT 'test_worker', 't', 0, array_agg(''::text ORDER BY n), array_agg(n::text ORDER BY n), count(*)"
                + " FROM generate_series(1, 399990) n GROUP BY (n - 1) / 5000");
        database.run("ANALYZE oneroof.tail_stretch");
        database.run("ANALYZE public.t");
        KeysetPage page = new KeysetPage(
                numbered(),
                false,
                new Watermark(null, "0"),
                null,
                Stretch.all(SchemaName.DEFAULT, tailing.scope, Stretch.Part.OPEN),
                5000);
        List<String> plan = tailing.db.inTx(tx -> tx.query("EXPLAIN " + page.select("1"))
                .bindMap(page.parameters())
                .mapTo(String.class)
                .list());
        assertThat(String.join("\n", plan)).contains("hashed SubPlan");
    }

    @Test
    void doublesNothingByAReplayToTheSettledWatermark(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        TailFixture tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 10)");
        tailing.turn(lease, 12);
        Watermark settled = tailing.cursor().settled();
        assertThat(settled).isEqualTo(new Watermark(null, "10"));
        tailing.allowReplays();
        new Cursors(tailing.db).replay(tailing.scope, settled, new OperatorAct("ann", "the stretch once more"));
        tailing.turn(lease, 12);
        assertThat(CopyKeys.seen(database)).hasSize(10);
        assertThat(broken(database)).isEmpty();
    }

    private static TailSource numbered() {
        return TailSource.of("t", "public", "t", "id", IdType.INTEGER).polledEvery(Duration.ofMillis(10));
    }

    private static TailFixture tail(TestDatabase database, TailSource source) {
        database.run(CopyKeys.TABLE);
        return new TailFixture(database, source, new CopyKeys(), TailFixture.WATCHFUL);
    }

    private static List<String> broken(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT summary FROM oneroof.system_issues WHERE issue_type = 'cursor_contract_broken' AND status = 'open'");
    }
}
