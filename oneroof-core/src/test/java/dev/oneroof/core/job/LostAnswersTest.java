package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.job.worker.LeaseReleaser;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.Cut;
import dev.oneroof.testkit.fault.PostgresProxy;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of jobs where the database has done something and its answer does not come, or this process trips over it. */
@OneRoofTest
class LostAnswersTest {
    private static final Duration FIVE = Duration.ofSeconds(5);
    private static final LoopConfig QUICK =
            new LoopConfig(Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(50), Duration.ofSeconds(1));
    private static final JobKind MARK = JobKind.named("mark_file");
    private static final int ALL = 5000;

    private TestDatabase database;

    @BeforeEach
    void opensTheGate(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        new Jobs(new Database(given.dataSource(), SchemaName.DEFAULT)).register(MARK, "test");
    }

    /** Where the test steps in. */
    private interface Steps {
        default void beforeConnecting() throws SQLException {}

        /** What was prepared last. */
        default void afterCommit(String statement) throws SQLException {
            assertThat(statement).isNotNull();
        }
    }

    private DataSource interposed(Steps steps) {
        DataSource real = database.dataSource();
        return proxy(DataSource.class, (method, given) -> {
            if (!method.getName().equals("getConnection")) {
                return invoked(real, method, given);
            }
            steps.beforeConnecting();
            return interposed(real.getConnection(), steps);
        });
    }

    private static Connection interposed(Connection real, Steps steps) {
        AtomicReference<String> last = new AtomicReference<>("");
        return proxy(Connection.class, (method, given) -> {
            if (method.getName().equals("prepareStatement")) {
                last.set(String.valueOf(given[0]));
            }
            Object answer = invoked(real, method, given);
            if (method.getName().equals("commit")) {
                steps.afterCommit(String.valueOf(last.get()));
            }
            return answer;
        });
    }

    private interface Call {
        @Nullable
        Object made(Method method, Object[] given) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                LostAnswersTest.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, given) -> call.made(method, given)));
    }

    private static @Nullable Object invoked(Object real, Method method, Object[] given) throws Throwable {
        try {
            return method.invoke(real, given);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Their lease time is a minute: no process would start them until then, and an attempt would be counted. */
    @Test
    void handBackWhatWasLeasedWhereNobodyHeardOfIt() {
        AtomicBoolean isLost = new AtomicBoolean();
        Steps losing = new Steps() {
            @Override
            public void afterCommit(String statement) throws SQLException {
                if (statement.contains("fn_job_lease") && isLost.compareAndSet(false, true)) {
                    throw new SQLException("no answer", "08006");
                }
            }
        };
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), interposed(losing))) {
            oneroof.work(MARK).atOnce(2).each(job -> Outcome.done());
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, ALL)
                            .mapToObj(n -> NewJob.of("mark_file", Payload.EMPTY))
                            .toList());
            oneroof.start();
            awaitSucceeded(ALL);
        }
        assertThat(isLost).isTrue();
        assertThat(database.list(row -> row.getInt(1), "SELECT DISTINCT attempts FROM oneroof.job_history"))
                .containsExactly(1);
    }

    /** The server has leased and committed; the connection on which it would say so is gone. */
    @Test
    void handBackWhatWasLeasedWhereTheConnectionIsLost() {
        try (PostgresProxy proxy = PostgresProxy.to(database.address())) {
            Cut cut = proxy.cutAfter(statement -> statement.contains("fn_job_lease("));
            try (OneRoof oneroof =
                    OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSourceVia(proxy.address()))) {
                oneroof.work(MARK.triedUpTo(1)).atOnce(10).each(job -> Outcome.done());
                oneroof.jobs()
                        .enqueueAll(IntStream.range(0, 10)
                                .mapToObj(n -> NewJob.of("mark_file", Payload.EMPTY))
                                .toList());
                oneroof.start();
                cut.await();
                awaitSucceeded(10);
            }
        }
        assertThat(database.list(row -> row.getInt(1), "SELECT DISTINCT attempts FROM oneroof.job_history"))
                .containsExactly(1);
    }

    @Test
    void keepNothingFromBeingHandedBackMeanwhile() throws Exception {
        CountDownLatch mayConnect = new CountDownLatch(1);
        CountDownLatch connects = new CountDownLatch(1);
        Steps first = new Steps() {
            private final AtomicBoolean isFirst = new AtomicBoolean(true);

            @Override
            public void beforeConnecting() throws SQLException {
                if (isFirst.compareAndSet(true, false)) {
                    connects.countDown();
                    awaited(mayConnect);
                }
            }
        };
        JobLeaseStore store = new JobLeaseStore();
        database.run("SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 2)");
        List<LeasedJob> leased = new Database(database.dataSource(), SchemaName.DEFAULT)
                .inTx(tx -> store.lease(tx, Map.of("mark_file", 2), 2, "one", Map.of(), UUID.randomUUID(), FIVE, FIVE));
        LeaseReleaser back = new LeaseReleaser(new Database(interposed(first), SchemaName.DEFAULT), store);
        CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> back.release(leased.subList(0, 1)));
        connects.await();
        back.release(leased.subList(1, 2));
        assertThat(queued()).isEqualTo(1);
        mayConnect.countDown();
        waiting.get(20, TimeUnit.SECONDS);
        assertThat(queued()).isEqualTo(2);
    }

    private static void awaited(CountDownLatch latch) throws SQLException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new SQLException(e);
        }
    }

    /** An outcome whose row is locked is retried apart from the others. */
    @Test
    void stopNobodyWhoTellsOfEndsByAnErrorThatCameInstead() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicBoolean fails = new AtomicBoolean();
        CountDownLatch failed = new CountDownLatch(1);
        Steps failing = new Steps() {
            @Override
            public void beforeConnecting() {
                if (Thread.currentThread().getName().equals("oneroof-job-outcomes")
                        && fails.compareAndSet(true, false)) {
                    failed.countDown();
                    throw new NoClassDefFoundError("of a test");
                }
            }
        };
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), interposed(failing));
                Sql other = database.sql()) {
            oneroof.work(MARK).each(job -> {
                started.countDown();
                mayEnd.await();
                return Outcome.done();
            });
            oneroof.start();
            Enqueued held = oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            started.await();
            other.run("BEGIN");
            other.run(
                    "SELECT FROM oneroof.job_queue WHERE job_id = ? FOR UPDATE",
                    held.id().value());
            mayEnd.countDown();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            // Written while the first one waits for its retry, which comes next.
            awaitSucceeded(1);
            fails.set(true);
            failed.await();
            other.run("ROLLBACK");
            awaitSucceeded(2);
        }
    }

    /**
     * A pool that has none, a server that is read only after a failover, a password that is just being changed, or something
     * that nobody has heard of. The lease is of a minute, and the only attempt is made.
     */
    @ParameterizedTest
    @ValueSource(strings = {"", "25006", "28P01", "42501"})
    void areToldLaterWhereThereIsATroubleThatPasses(String state) {
        AtomicInteger failures = new AtomicInteger();
        Steps failing = new Steps() {
            @Override
            public void beforeConnecting() throws SQLException {
                if (Thread.currentThread().getName().equals("oneroof-job-outcomes")
                        && failures.incrementAndGet() <= 5) {
                    throw new SQLException("in trouble", state.isEmpty() ? null : state);
                }
            }
        };
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), interposed(failing))) {
            oneroof.work(MARK.triedUpTo(1)).each(job -> Outcome.done());
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitSucceeded(1);
        }
        assertThat(failures).hasValueGreaterThan(5);
    }

    /** One outcome fails for an unknown reason: the others are written at once, and it is written when that has passed. */
    @ParameterizedTest
    @ValueSource(strings = {"XX000", "38000", "42501"})
    void areToldLaterWhereOneFailsForNoReasonThatIsKnown(String state) {
        database.run("CREATE TABLE public.trouble AS SELECT 1 AS one");
        database.run("""
                CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    IF NEW.payload ? 'unlucky' AND EXISTS (SELECT FROM public.trouble) THEN
                        RAISE EXCEPTION USING ERRCODE = '%s', MESSAGE = 'out of luck';
                    END IF;
                    RETURN NEW;
                END $$
                """.formatted(state));
        database.run("CREATE TRIGGER fail BEFORE INSERT ON oneroof.job_history"
                + " FOR EACH ROW EXECUTE FUNCTION public.fail()");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.work(MARK.triedUpTo(1)).atOnce(20).each(job -> Outcome.done());
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, 20)
                            .mapToObj(n ->
                                    NewJob.of("mark_file", n == 7 ? Payload.of(Map.of("unlucky", 1)) : Payload.EMPTY))
                            .toList());
            oneroof.start();
            awaitSucceeded(19);
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitSucceeded(20);
            database.run("DELETE FROM public.trouble");
            awaitSucceeded(21);
        }
    }

    /** A trigger of a user rejects one outcome. */
    @Test
    void keepNobodysEndFromBeingToldByOneThatIsRefused() {
        database.run("""
                CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.payload ? 'refused' THEN
                        RAISE EXCEPTION 'not this one';
                    END IF;
                    RETURN NEW;
                END $$
                """);
        database.run("CREATE TRIGGER refuse BEFORE INSERT ON oneroof.job_history"
                + " FOR EACH ROW EXECUTE FUNCTION public.refuse()");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.work(MARK).atOnce(20).each(job -> Outcome.done());
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, 20)
                            .mapToObj(n ->
                                    NewJob.of("mark_file", n == 7 ? Payload.of(Map.of("refused", 1)) : Payload.EMPTY))
                            .toList());
            oneroof.start();
            awaitSucceeded(19);
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitSucceeded(20);
        }
    }

    private long queued() {
        return database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE state = 'queued'");
    }

    private void awaitSucceeded(long count) {
        Await.patiently()
                .until(
                        count + " ended",
                        () -> database.value(
                                Long.class, "SELECT count(*) FROM oneroof.job_history WHERE state = 'succeeded'"),
                        ended -> ended == count);
    }
}
