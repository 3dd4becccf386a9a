package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rows, handlers and connections that fail: what the tail does then, and what it no longer does afterwards. */
@OneRoofTest
class TailFailuresTest {
    @Test
    void setsARowAsideThatFailsAtTheCommit(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 10)");
        database.run("CREATE TABLE public.known (id integer PRIMARY KEY)");
        database.run("INSERT INTO public.known SELECT n FROM generate_series(1, 10) n WHERE n <> 4");
        database.run("CREATE TABLE public.copy (id integer REFERENCES public.known DEFERRABLE INITIALLY DEFERRED)");
        TailFixture tailing = new TailFixture(
                database,
                numbered(),
                new SetEffect("1", "INSERT INTO public.copy SELECT order_id FROM page", Map.of()),
                TailFixture.WATCHFUL);
        Lease lease = tailing.claim("a");
        String copied = "SELECT count(*) FROM public.copy";
        tailing.turnUntil(lease, () -> database.value(Long.class, copied) == 9);
        assertThat(database.value(Long.class, copied)).isEqualTo(9);
    }

    @Test
    void halvesABatchWhoseHandlerIdlesForTooLong(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 10)");
        TailFixture tailing = new TailFixture(
                database,
                numbered(),
                new RowsEffect(List.of(), (tx, rows) -> Thread.sleep(150L * rows.size())),
                TailFixture.WATCHFUL);
        Lease lease = tailing.claim("a");
        List<String> failures = tailing.turnUntil(lease, () -> tailing.cursor().eventsSeen() > 0);
        assertThat(tailing.cursor().eventsSeen()).as("%s", failures).isPositive();
    }

    @Test
    void givesUpOnARowThatAlwaysTakesTooLong(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY)");
        database.run("INSERT INTO public.t SELECT nextval('public.t_id_seq') FROM generate_series(1, 2)");
        database.run("CREATE FUNCTION public.slow(i integer) RETURNS text LANGUAGE plpgsql AS"
                + " $$ BEGIN IF i = 2 THEN PERFORM pg_sleep(7); END IF; RETURN i::text; END $$");
        database.run(CopyKeys.TABLE);
        TailFixture tailing = new TailFixture(
                database,
                numbered().inBatchesOf(1),
                new SetEffect("1", "INSERT INTO public.seen (key) SELECT public.slow(order_id) FROM page", Map.of()),
                TailFixture.WATCHFUL);
        Lease lease = tailing.claim("a");
        List<String> failures = tailing.turnUntil(
                lease,
                () -> database.value(
                        Boolean.class,
                        "SELECT EXISTS (SELECT FROM oneroof.event_pending WHERE dead_lettered_at IS NOT NULL)"));
        assertThat(database.list(
                        row -> row.getInt(1) + " " + (row.getString(2) != null),
                        "SELECT error_count, dead_lettered_at FROM oneroof.event_pending"))
                .as("%s", failures)
                .containsExactly("3 true");
    }

    @Test
    void takesWholeBatchesAgainAfterAFailureThatWentAway() {
        BatchSizer sizer = new BatchSizer();
        sizer.failed(sizer.limit(5000));
        for (int n = 0; n < 100; n++) {
            int limit = sizer.limit(5000);
            sizer.succeeded(limit, true);
        }
        assertThat(sizer.limit(5000)).isEqualTo(5000);
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
        TailFixture tailing = new TailFixture(
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
            failures = tailing.turn(lease, 1);
            Thread later = Thread.ofPlatform().start(() -> tailing.turn(lease, 1));
            Thread.sleep(2000);
            s.execute("SELECT pg_advisory_unlock(4711)");
            later.join();
        }
        Thread.sleep(500);
        tailing.turn(lease, 5);
        assertThat(database.list(row -> row.getInt(1), "SELECT id FROM public.copy"))
                .as("%s", failures)
                .containsExactly(1);
    }

    private static TailSource numbered() {
        return TailSource.of("t", "public", "t", "id", IdType.INTEGER).polledEvery(Duration.ofMillis(10));
    }
}
