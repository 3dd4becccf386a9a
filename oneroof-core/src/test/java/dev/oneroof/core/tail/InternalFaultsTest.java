package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Only what a worker's handler or statement raises is charged to a row. A fault of the code around it fails the pass: the
 * cursor stays, no row is set aside, and once the fault is gone every row is handled once.
 */
@OneRoofTest
class InternalFaultsTest {
    private static final int ROWS = 6;

    /** The codes are ones that are charged to a row where its effect raises them. */
    @ParameterizedTest
    @CsvSource({
        "P0001, EACH_ROW",
        "P0001, BY_SQL",
        "22P02, EACH_ROW",
        "22P02, BY_SQL",
        "23514, EACH_ROW",
        "57014, EACH_ROW",
        "57014, BY_SQL"
    })
    void blameNoRowWhenTheCursorCannotBeMoved(String code, String way, TestDatabase database) {
        table(database);
        fault(database, "gov_worker_cursor", "NEW.events_seen IS DISTINCT FROM OLD.events_seen", code);
        TailFixture tailing = new TailFixture(database, source().inBatchesOf(1), effect(way), TailFixture.WATCHFUL);
        Lease lease = tailing.claim("a");

        List<String> failures = tailing.turn(lease, 12);

        assertThat(failures).isNotEmpty().allMatch(failure -> failure.contains("injected"));
        assertThat(tailing.cursor().settled()).isNull();
        assertNoRowIsBlamed(database, tailing);
        heal(database, "gov_worker_cursor");
        assertEachIsHandledOnce(database, tailing, lease);
        assertNoRowIsBlamed(database, tailing);
    }

    @Test
    void blameNoRowThatIsTriedAgain(TestDatabase database) {
        table(database);
        AtomicBoolean fails = new AtomicBoolean(true);
        TailFixture tailing = new TailFixture(
                database,
                source(),
                TailSpec.draft("test_worker", "t")
                        .eachRow((tx, row) -> {
                            if (row.number("id") == 3 && fails.get()) {
                                throw new IllegalArgumentException("three");
                            }
                            note(tx, row);
                        })
                        .effect(),
                TailFixture.WATCHFUL);
        Lease lease = tailing.claim("a");
        fault(database, "event_pending", "NEW.processed_at IS NOT NULL", "P0001");
        tailing.turnUntil(lease, () -> errors(database) == 1);
        fails.set(false);

        List<String> failures = tailing.turn(lease, 60);

        assertThat(failures).isNotEmpty().allMatch(failure -> failure.contains("injected"));
        assertThat(tailing.cursor().deadLettered()).isZero();
        assertThat(errors(database)).as("failures of the row itself").isEqualTo(1);
        heal(database, "event_pending");
        assertEachIsHandledOnce(database, tailing, lease);
    }

    @ParameterizedTest
    @ValueSource(strings = {"getResultSet", "unwrap", "last", "getObject"})
    void blameNoRowWhenItCannotBeRead(String call, TestDatabase database) {
        table(database);
        AtomicBoolean broken = new AtomicBoolean(true);
        TailFixture tailing = new TailFixture(
                failing(database.dataSource(), call, broken),
                source().inBatchesOf(2),
                TailSpec.draft("test_worker", "t")
                        .eachRow((tx, row) -> {
                            // Asked for here, too: what it runs into is not the handler's either.
                            assertThat(row.key().id()).isNotNull();
                            note(tx, row);
                        })
                        .effect(),
                TailFixture.WATCHFUL);
        Lease lease = tailing.claim("a");

        List<String> failures = tailing.turn(lease, 12);

        assertThat(failures).isNotEmpty().allMatch(failure -> failure.contains("injected"));
        assertNoRowIsBlamed(database, tailing);
        broken.set(false);
        assertEachIsHandledOnce(database, tailing, lease);
        assertNoRowIsBlamed(database, tailing);
    }

    /** The machine is out of memory, or the program is not whole: no row can help it. */
    @ParameterizedTest
    @ValueSource(strings = {"java.lang.OutOfMemoryError", "java.lang.NoClassDefFoundError", "java.lang.AssertionError"})
    void blameNoRowForAnErrorOfTheMachine(String name, TestDatabase database) throws Exception {
        table(database);
        Error error =
                Class.forName(name).asSubclass(Error.class).getConstructor().newInstance();
        AtomicBoolean broken = new AtomicBoolean(true);
        TailFixture tailing = new TailFixture(
                database,
                source().inBatchesOf(2),
                TailSpec.draft("test_worker", "t")
                        .eachRow((tx, row) -> {
                            note(tx, row);
                            if (broken.get()) {
                                throw error;
                            }
                        })
                        .effect(),
                TailFixture.WATCHFUL);
        Lease lease = tailing.claim("a");
        for (int pass = 0; pass < 5; pass++) {
            assertThatThrownBy(() -> tailing.runOnce(lease)).isSameAs(error);
        }

        assertNoRowIsBlamed(database, tailing);
        broken.set(false);
        assertEachIsHandledOnce(database, tailing, lease);
        assertNoRowIsBlamed(database, tailing);
    }

    /** A document nested too deeply overflows the stack of whatever reads it: that is the row's, and holds up no other. */
    @Test
    void areNotWhatAStackOverflowOfTheHandlerIs(TestDatabase database) {
        table(database);
        TailFixture tailing = new TailFixture(
                database,
                source(),
                TailSpec.draft("test_worker", "t")
                        .eachRow((tx, row) -> {
                            if (row.number("id") == 3) {
                                throw new StackOverflowError();
                            }
                            note(tx, row);
                        })
                        .effect(),
                TailFixture.WATCHFUL);
        Lease lease = tailing.claim("a");

        List<String> failures = tailing.turnUntil(lease, () -> tailing.cursor().deadLettered() == 1);

        assertThat(failures).isEmpty();
        assertThat(database.list(row -> row.getString(1), "SELECT last_error FROM oneroof.event_pending"))
                .containsExactly("StackOverflowError");
        assertThat(database.list(row -> row.getInt(1), "SELECT id FROM public.handled ORDER BY id"))
                .containsExactly(1, 2, 4, 5, 6);
    }

    /** What is told of a row's failure is the handler's own exception, and nothing that was put around it. */
    @Test
    void doNotHideWhatAHandlerHasThrown(TestDatabase database) {
        table(database);
        TailFixture tailing = new TailFixture(
                database,
                source(),
                TailSpec.draft("test_worker", "t")
                        .eachRow((tx, row) -> {
                            throw new java.io.IOException("no answer for 17");
                        })
                        .effect(),
                TailFixture.WATCHFUL);

        tailing.turnUntil(tailing.claim("a"), () -> tailing.cursor().deadLettered() == ROWS);

        assertThat(database.list(row -> row.getString(1), "SELECT DISTINCT last_error FROM oneroof.event_pending"))
                .containsExactly("IOException: no answer for 17");
        assertThat(database.value(
                        Boolean.class,
                        "SELECT bool_and(fingerprint LIKE 'java.io.IOException:%') FROM oneroof.event_pending"))
                .isTrue();
    }

    /** Under a filter a look for late rows that takes too long is left out; rows that were found are not. */
    @Test
    void leaveOutNoLateRowWhoseHandlerTookTooLong(TestDatabase database) {
        database.run("CREATE TABLE public.t (at timestamptz NOT NULL DEFAULT now(), id integer PRIMARY KEY)");
        database.run("CREATE INDEX ON public.t (at, id)");
        database.run("CREATE TABLE public.handled (id integer)");
        database.run("INSERT INTO public.t SELECT now() - interval '1 minute' * n, n FROM generate_series(1, 6) n");
        AtomicInteger slow = new AtomicInteger();
        TailFixture tailing = new TailFixture(
                database,
                TailSource.of("t", "public", "t", "id", IdType.INTEGER)
                        .timedBy("at", TimeType.TIMESTAMPTZ)
                        .where("id > 0")
                        .polledEvery(Duration.ofMillis(10)),
                TailSpec.draft("test_worker", "t")
                        .eachRow((tx, row) -> {
                            if (row.number("id") >= 1000 && slow.incrementAndGet() == 1) {
                                throw new SQLException("canceling statement due to statement timeout", "57014");
                            }
                            note(tx, row);
                        })
                        .effect(),
                TailFixture.WATCHFUL);
        Lease lease = tailing.claim("a");
        tailing.turnUntil(
                lease, () -> handled(database) == 6 && tailing.cursor().settled() != null);

        database.run("INSERT INTO public.t VALUES (now() - interval '90 s', 1000), (now() - interval '91 s', 1001)");

        tailing.turnUntil(lease, () -> handled(database) >= 8, Duration.ofSeconds(15));
        assertThat(database.list(row -> row.getInt(1), "SELECT id FROM public.handled ORDER BY id"))
                .containsExactly(1, 2, 3, 4, 5, 6, 1000, 1001);
    }

    private static void table(TestDatabase database) {
        database.run("CREATE TABLE public.t (id serial PRIMARY KEY, at timestamptz NOT NULL)");
        database.run("CREATE INDEX ON public.t (at, id)");
        database.run(
                "INSERT INTO public.t (at) SELECT now() - interval '1 hour' FROM generate_series(1, " + ROWS + ")");
        database.run("CREATE TABLE public.handled (id integer)");
    }

    private static TailSource source() {
        return TailSource.of("t", "public", "t", "id", IdType.INTEGER)
                .timedBy("at", TimeType.TIMESTAMPTZ)
                .polledEvery(Duration.ofMillis(10));
    }

    private static BatchEffect effect(String way) {
        return way.equals("BY_SQL")
                ? new SetEffect("1", "INSERT INTO public.handled SELECT order_id FROM page", Map.of())
                : TailSpec.draft("test_worker", "t")
                        .eachRow(InternalFaultsTest::note)
                        .effect();
    }

    private static void note(UserTx tx, Row row) {
        tx.update("INSERT INTO public.handled VALUES (:id)")
                .bind("id", row.number("id"))
                .execute();
    }

    /** From now on one of OneRoof's own statements fails, in the transaction of the batch and behind its effect. */
    private static void fault(TestDatabase database, String table, String when, String code) {
        database.run("""
                CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    RAISE EXCEPTION 'injected' USING ERRCODE = '%s';
                END $$""".formatted(code));
        database.run(
                "CREATE TRIGGER fault BEFORE UPDATE ON oneroof.%s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION public.fault()"
                        .formatted(table, when));
    }

    private static void heal(TestDatabase database, String table) {
        database.run("DROP TRIGGER fault ON oneroof." + table);
    }

    private static void assertNoRowIsBlamed(TestDatabase database, TailFixture tailing) {
        assertThat(database.list(row -> row.getString(1), "SELECT last_error FROM oneroof.event_pending"))
                .isEmpty();
        assertThat(tailing.cursor().deadLettered()).isZero();
    }

    private static void assertEachIsHandledOnce(TestDatabase database, TailFixture tailing, Lease lease) {
        List<String> failures = tailing.turnUntil(lease, () -> handled(database) >= ROWS, Duration.ofSeconds(15));
        failures.addAll(tailing.turn(lease, 5));
        assertThat(failures).isEmpty();
        assertThat(database.list(row -> row.getInt(1), "SELECT id FROM public.handled ORDER BY id"))
                .containsExactly(1, 2, 3, 4, 5, 6);
    }

    private static long handled(TestDatabase database) {
        return database.value(Long.class, "SELECT count(*) FROM public.handled");
    }

    private static long errors(TestDatabase database) {
        return database.value(Long.class, "SELECT coalesce(max(error_count), 0)::bigint FROM oneroof.event_pending");
    }

    /** The same connections; while it is broken, a call on the rows of a handler fails as a bug of ours would. */
    private static DataSource failing(DataSource plain, String call, AtomicBoolean broken) {
        Answer rows = (method, given, value) -> broken(method, call, broken, value);
        Answer statements = (method, given, result) -> {
            Object sound = broken(method, call, broken, result);
            return sound instanceof ResultSet read ? around(ResultSet.class, read, rows) : sound;
        };
        Answer connections = (method, given, made) -> made instanceof PreparedStatement statement && isScrollable(given)
                ? around(PreparedStatement.class, statement, statements)
                : made;
        return around(
                DataSource.class,
                plain,
                (method, given, made) -> made instanceof Connection connection
                        ? around(Connection.class, connection, connections)
                        : made);
    }

    /** As only the statements are that read rows for a handler. */
    private static boolean isScrollable(Object @Nullable [] given) {
        return given != null && given.length == 3 && given[1].equals(ResultSet.TYPE_SCROLL_INSENSITIVE);
    }

    private static @Nullable Object broken(Method method, String call, AtomicBoolean broken, @Nullable Object result) {
        if (broken.get() && method.getName().equals(call)) {
            throw new IllegalStateException("injected into " + call);
        }
        return result;
    }

    private interface Answer {
        @Nullable
        Object of(Method method, Object @Nullable [] given, @Nullable Object result);
    }

    private static <T> T around(Class<T> type, T plain, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                InternalFaultsTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    try {
                        // The wrapper itself: what is inside would be out of reach.
                        boolean isItself = method.getName().equals("unwrap") && type.equals(given[0]);
                        return answer.of(method, given, isItself ? proxy : method.invoke(plain, given));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
