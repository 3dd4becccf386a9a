package dev.oneroof.core.tabletail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Traps that the tail once fell into. */
@OneRoofTest
class TailTrapsTest {
    private static final TailConfig WATCHFUL = config(Duration.ofMinutes(10), 50_000);

    private static TailConfig config(Duration keptFor, long keptKeys) {
        return new TailConfig(
                3,
                Duration.ofMillis(10),
                Duration.ofMillis(50),
                100,
                keptFor,
                keptKeys,
                Duration.ofMillis(50),
                1_000_000);
    }

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
        Tailing tailing = new Tailing(
                database, numbered().where("public.is_rare(id)").in(mode).inBatchesOf(100), new CopyKeys());
        Lease lease = tailing.claim("a");

        Await.upTo(Duration.ofSeconds(90)).until("the end", () -> {
            tailing.runOnce(lease);
            return !seen(database).isEmpty();
        });

        assertThat(seen(database)).containsExactly("4000");
    }

    @Test
    void tellsHandledTextKeysApartUnderACollationOfTheirOwn(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id text COLLATE \"en-x-icu\" PRIMARY KEY)");
        database.run("INSERT INTO public.t VALUES ('a')");
        Tailing tailing = tail(
                database,
                TailSource.of("t", "public", "t", "id", IdType.TEXT)
                        .under(OrderContract.EXTERNAL)
                        .polledEvery(Duration.ofMillis(10)));
        Lease lease = tailing.claim("a");
        turn(tailing, lease, 3);
        database.run("INSERT INTO public.t VALUES ('B')");
        turn(tailing, lease, 5);
        assertThat(seen(database)).containsExactly("a", "B");
    }

    @Test
    void goesOnWhenTheLastRowOfAnExternalSourceIsDeleted(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (k integer PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT generate_series(1, 10)");
        Tailing tailing = tail(
                database,
                TailSource.of("t", "public", "t", "k", IdType.INTEGER)
                        .under(OrderContract.EXTERNAL)
                        .rereading(Duration.ofMillis(60))
                        .polledEvery(Duration.ofMillis(10)));
        Lease lease = tailing.claim("a");
        turn(tailing, lease, 3);
        turn(tailing, lease, 20);
        database.run("DELETE FROM public.t WHERE k = 10");
        turn(tailing, lease, 20);
        database.run("INSERT INTO public.t VALUES (11)");
        turn(tailing, lease, 10);
        assertThat(tailing.cursor().standing()).isInstanceOf(Cursor.Standing.Free.class);
        assertThat(seen(database)).hasSize(11).doesNotHaveDuplicates();
    }

    @Test
    void takesTheHighestKeyForTheTop(TestDatabase database) {
        database.run("CREATE TABLE public.t (id integer PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT generate_series(2, 10)");
        Tailing tailing = tail(database, numbered().under(OrderContract.EXTERNAL));
        java.util.Optional<Watermark> top = tailing.db.inTx(tx -> new BoundStore().top(tx, numbered()));
        assertThat(top).contains(new Watermark(null, "10"));
    }

    @Test
    void takesTheLowestKeyForTheLowest(TestDatabase database) {
        database.run("CREATE TABLE public.t (id integer PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT generate_series(2, 10)");
        Tailing tailing = tail(database, numbered().under(OrderContract.EXTERNAL));
        java.util.Optional<Watermark> lowest = tailing.db.inTx(tx -> new ContractStore().lowest(tx, numbered()));
        assertThat(lowest).contains(new Watermark(null, "2"));
    }

    @Test
    void raisesNothingWhenRowsAreDeleted(TestDatabase database) {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        Tailing tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 11)");
        database.run("DELETE FROM public.t WHERE id = 1");
        turn(tailing, lease, 12);
        database.run("DELETE FROM public.t WHERE id IN (10, 11)");
        turn(tailing, lease, 12);
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void losesNoRowToOneWithoutAnId(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id integer UNIQUE DEFAULT 0)");
        database.run("CREATE SEQUENCE public.t_id_seq OWNED BY public.t.id");
        database.run("ALTER TABLE public.t ALTER id SET DEFAULT nextval('public.t_id_seq')");
        database.run("INSERT INTO public.t VALUES (NULL)");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 5)");
        Tailing tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        try (Connection other = database.connect();
                Statement s = other.createStatement()) {
            other.setAutoCommit(false);
            s.execute("INSERT INTO public.t SELECT nextval('public.t_id_seq')");
            turn(tailing, lease, 3);
            database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 5)");
            turn(tailing, lease, 3);
            other.commit();
        }
        turn(tailing, lease, 12);
        assertThat(seen(database)).hasSize(11);
    }

    @Test
    void raisesNothingForALateCommitBelowAllOthers(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        Tailing tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        try (Connection early = database.connect();
                Statement s = early.createStatement()) {
            early.setAutoCommit(false);
            s.execute("INSERT INTO public.t DEFAULT VALUES");
            database.run("INSERT INTO public.t DEFAULT VALUES");
            turn(tailing, lease, 12);
            early.commit();
        }
        turn(tailing, lease, 20);
        assertThat(seen(database)).containsExactlyInAnyOrder("1", "2");
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void raisesNothingForALargeLoad(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        Tailing tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        database.run("INSERT INTO public.t DEFAULT VALUES");
        turn(tailing, lease, 20);
        try (Connection early = database.connect();
                Statement s = early.createStatement()) {
            early.setAutoCommit(false);
            s.execute("SELECT count(nextval('public.t_id_seq')) FROM generate_series(1, 1100000)");
            turn(tailing, lease, 12);
            early.rollback();
        }
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void trimsNoKeyThatIsNeededAfterAClockStep(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        database.run(CopyKeys.TABLE);
        Tailing tailing = new Tailing(database, numbered(), new CopyKeys(), config(Duration.ofMinutes(10), 50_000));
        Lease lease = tailing.claim("a");
        for (int n = 0; n < 4; n++) {
            database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 5)");
            turn(tailing, lease, 8);
        }
        assertThat(seen(database)).hasSize(20);
        // The first batch was settled by a clock that was two minutes ahead of the one that settled the others.
        database.run("UPDATE oneroof.tail_stretch SET settled_at = settled_at - interval '20 minutes'"
                + " + CASE WHEN last_id = '5' THEN interval '2 minutes' ELSE interval '0' END"
                + " WHERE settled_at IS NOT NULL AND last_id::int <= 15");
        turn(tailing, lease, 12);
        assertThat(seen(database)).hasSize(20);
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void setsARowAsideThatFailsAtTheCommit(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 10)");
        database.run("CREATE TABLE public.known (id integer PRIMARY KEY)");
        database.run("INSERT INTO public.known SELECT n FROM generate_series(1, 10) n WHERE n <> 4");
        database.run("CREATE TABLE public.copy (id integer REFERENCES public.known DEFERRABLE INITIALLY DEFERRED)");
        Tailing tailing = new Tailing(
                database,
                numbered(),
                new SetEffect("1", "INSERT INTO public.copy SELECT order_id FROM page", Map.of()),
                WATCHFUL);
        Lease lease = tailing.claim("a");
        turn(tailing, lease, 40);
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.copy"))
                .isEqualTo(9);
    }

    @Test
    void halvesABatchWhoseHandlerIdlesForTooLong(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 10)");
        Tailing tailing = new Tailing(
                database,
                numbered(),
                new RowsEffect(List.of(), (tx, rows) -> Thread.sleep(150L * rows.size())),
                WATCHFUL);
        Lease lease = tailing.claim("a");
        List<String> failures = turn(tailing, lease, 10);
        assertThat(tailing.cursor().eventsSeen()).as("%s", failures).isPositive();
    }

    @Test
    void givesUpOnARowThatAlwaysTakesTooLong(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 2)");
        database.run("CREATE FUNCTION public.slow(i integer) RETURNS text LANGUAGE plpgsql AS"
                + " $$ BEGIN IF i = 2 THEN PERFORM pg_sleep(7); END IF; RETURN i::text; END $$");
        database.run(CopyKeys.TABLE);
        Tailing tailing = new Tailing(
                database,
                numbered().inBatchesOf(1),
                new SetEffect("1", "INSERT INTO public.seen (key) SELECT public.slow(order_id) FROM page", Map.of()),
                WATCHFUL);
        Lease lease = tailing.claim("a");
        List<String> failures = turn(tailing, lease, 12);
        assertThat(database.list(
                        row -> row.getInt(1) + " " + (row.getString(2) != null),
                        "SELECT error_count, dead_lettered_at FROM oneroof.event_pending"))
                .as("%s", failures)
                .containsExactly("3 true");
    }

    @Test
    void countsNoLagForAHandledRowThatWasDatedInTheFuture(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (at timestamptz NOT NULL DEFAULT now(), id integer, PRIMARY KEY (at, id))");
        database.run("INSERT INTO public.t VALUES (now() - interval '1 minute', 1), (now() + interval '8 seconds', 2)");
        Tailing tailing = tail(
                database,
                TailSource.of("t", "public", "t", "id", IdType.INTEGER)
                        .timedBy("at", TimeType.TIMESTAMPTZ)
                        .behindAfter(Duration.ofSeconds(3))
                        .polledEvery(Duration.ofMillis(10)));
        Lease lease = tailing.claim("a");
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (System.nanoTime() < until) {
            turn(tailing, lease, 2);
        }
        assertThat(seen(database)).containsExactly("1", "2");
        assertThat(database.list(
                        row -> row.getString(1), "SELECT summary FROM oneroof.system_issues WHERE status = 'open'"))
                .isEmpty();
    }

    @Test
    void raisesNothingForARowThatHasComeToFitTheFilter(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY, paid boolean NOT NULL DEFAULT false)");
        Tailing tailing = tail(database, numbered().where("paid"));
        Lease lease = tailing.claim("a");
        database.run("INSERT INTO public.t (paid) VALUES (true), (false), (true)");
        turn(tailing, lease, 10);
        database.run("UPDATE public.t SET paid = true WHERE id = 2");
        turn(tailing, lease, 10);
        assertThat(broken(database)).isEmpty();
    }

    @Test
    void takesWholeBatchesAgainAfterAFailureThatWentAway() {
        Sizing sizing = new Sizing();
        sizing.failed(sizing.limit(5000));
        for (int n = 0; n < 100; n++) {
            int limit = sizing.limit(5000);
            sizing.succeeded(limit, true);
        }
        assertThat(sizing.limit(5000)).isEqualTo(5000);
    }

    @Test
    void looksKeysOfALongStretchUpByHash(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        Tailing tailing = tail(database, numbered());
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 400000)");
        database.run("INSERT INTO oneroof.tail_stretch (worker_name, source_name, shard, keys_ts, keys_id, key_count)"
                + " SELECT 'test_worker', 't', 0, array_agg(''::text ORDER BY n), array_agg(n::text ORDER BY n), count(*)"
                + " FROM generate_series(1, 399990) n GROUP BY (n - 1) / 5000");
        database.run("ANALYZE oneroof.tail_stretch");
        database.run("ANALYZE public.t");
        KeysetPage page = new KeysetPage(
                numbered(), false, new Watermark(null, "0"), null, Stretch.all(tailing.scope, Stretch.Part.OPEN), 5000);
        List<String> plan = tailing.db.inTx(tx -> tx.query("EXPLAIN " + page.select("1"))
                .bindMap(page.parameters())
                .mapTo(String.class)
                .list());
        assertThat(String.join("\n", plan)).contains("hashed SubPlan");
    }

    @Test
    void handlesOnceWhatWasInACommitOfUnknownOutcome(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (at timestamptz DEFAULT now(), id integer PRIMARY KEY)");
        database.run("CREATE INDEX ON public.t (at, id)");
        database.run("CREATE TABLE public.copy (id integer)");
        database.run("CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NULL; END $$");
        database.run("CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON public.copy DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION public.wait()");
        database.run("INSERT INTO public.t VALUES (NULL, 1)");
        // The client gives up after two seconds; the server does not notice, and commits when it can.
        javax.sql.DataSource sessions = database.dataSource();
        javax.sql.DataSource impatient = (javax.sql.DataSource) java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {javax.sql.DataSource.class}, (proxy, method, args) -> {
                    Object result = method.invoke(sessions, args);
                    if (result instanceof Connection made) {
                        made.setNetworkTimeout(Runnable::run, 4000);
                    }
                    return result;
                });
        Tailing tailing = new Tailing(
                impatient,
                TailSource.of("t", "public", "t", "id", IdType.INTEGER)
                        .timedBy("at", TimeType.TIMESTAMPTZ)
                        .polledEvery(Duration.ofMillis(10)),
                new SetEffect("1", "INSERT INTO public.copy SELECT order_id FROM page", Map.of()));
        Lease lease = tailing.claim("a");
        List<String> failures;
        try (Connection holder = database.connect();
                Statement s = holder.createStatement()) {
            s.execute("SELECT pg_advisory_lock(4711)");
            failures = turn(tailing, lease, 1);
            Thread later = Thread.ofPlatform().start(() -> turn(tailing, lease, 1));
            Thread.sleep(2000);
            s.execute("SELECT pg_advisory_unlock(4711)");
            later.join();
        }
        Thread.sleep(500);
        turn(tailing, lease, 5);
        assertThat(database.list(row -> row.getInt(1), "SELECT id FROM public.copy"))
                .as("%s", failures)
                .containsExactly(1);
    }

    @Test
    void doublesNothingByAReplayToTheSettledWatermark(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        Tailing tailing = tail(database, numbered());
        Lease lease = tailing.claim("a");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 10)");
        turn(tailing, lease, 12);
        Watermark settled = tailing.cursor().settled();
        assertThat(settled).isEqualTo(new Watermark(null, "10"));
        new Cursors(tailing.db).replay(tailing.scope, settled, new OperatorAct("ann", "the stretch once more"));
        turn(tailing, lease, 12);
        assertThat(seen(database)).hasSize(10);
        assertThat(broken(database)).isEmpty();
    }

    private static TailSource numbered() {
        return TailSource.of("t", "public", "t", "id", IdType.INTEGER).polledEvery(Duration.ofMillis(10));
    }

    private static Tailing tail(TestDatabase database, TailSource source) {
        database.run(CopyKeys.TABLE);
        return new Tailing(database, source, new CopyKeys(), WATCHFUL);
    }

    private static List<String> turn(Tailing tailing, Lease lease, int passes) {
        List<String> failures = new ArrayList<>();
        for (int n = 0; n < passes; n++) {
            try {
                Pass pass = tailing.runOnce(lease);
                if (!(pass instanceof Pass.Worked) && !(pass instanceof Pass.Idle)) {
                    failures.add(pass.toString());
                }
            } catch (RuntimeException e) {
                failures.add(dev.oneroof.postgres.SqlState.of(e) + " " + e.getMessage());
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return failures;
    }

    private static List<String> seen(TestDatabase database) {
        return database.list(row -> row.getString(1), "SELECT key FROM public.seen ORDER BY no");
    }

    private static List<String> broken(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT summary FROM oneroof.system_issues WHERE issue_type = 'cursor_contract_broken' AND status = 'open'");
    }
}
