package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.job.worker.JobLogWriter;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What handlers say while they run. */
@OneRoofTest
class JobLogWriterTest {
    private static final LoopConfig QUICK =
            new LoopConfig(Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(50), Duration.ofSeconds(1));
    private static final JobKind MARK = JobKind.named("mark_file")
            .backingOff(Duration.ofMillis(10), Duration.ofMillis(20))
            .triedUpTo(2);

    private TestDatabase database;

    @BeforeEach
    void opensTheGate(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
    }

    @Test
    void takeNoSecondConnectionFromAHandlerThatHasOne() {
        AtomicInteger taken = new AtomicInteger();
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(10);
        config.setConnectionTimeout(5000);
        try (HikariDataSource pool = new HikariDataSource(config) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        if (Thread.currentThread().isVirtual()) {
                            taken.incrementAndGet();
                        }
                        return super.getConnection();
                    }
                };
                OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), pool)) {
            oneroof.work(MARK).atOnce(10).eachInTx((tx, job) -> {
                job.say("begun");
                job.progress(50, "half of it");
                job.say("nearly");
                return Outcome.done();
            });
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, 100)
                            .mapToObj(n -> NewJob.of("mark_file", Payload.EMPTY))
                            .toList());
            oneroof.start();
            awaitEnded(100);
        }
        assertThat(taken).hasValue(100);
        assertThat(strings("SELECT DISTINCT string_agg(line || coalesce(percent, 0), ',' ORDER BY log_id)"
                        + " FROM oneroof.job_log GROUP BY job_id"))
                .containsExactly("begun0,half of it50,nearly0");
        assertThat(strings("SELECT DISTINCT attempts FROM oneroof.job_history")).containsExactly("1");
    }

    @Test
    void areSeenWhileTheHandlerRunsAndStayWhereItsEffectsDoNot() {
        CountDownLatch mayFail = new CountDownLatch(1);
        database.run("CREATE TABLE public.effect (attempt integer)");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.work(MARK).eachInTx((tx, job) -> {
                tx.update("INSERT INTO public.effect VALUES (:attempt)")
                        .bind("attempt", job.attempt())
                        .execute();
                job.say("try " + job.attempt());
                mayFail.await();
                if (job.attempt() == 1) {
                    job.say("failing");
                    throw new IllegalStateException("not yet");
                }
                return Outcome.done();
            });
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            Await.patiently()
                    .until(
                            "the line",
                            () -> strings("SELECT line FROM oneroof.job_log").equals(List.of("try 1")));
            mayFail.countDown();
            awaitEnded(1);
        }
        assertThat(strings("SELECT attempt || line FROM oneroof.job_log ORDER BY log_id"))
                .containsExactly("1try 1", "1failing", "2try 2");
        assertThat(strings("SELECT attempt FROM public.effect")).containsExactly("2");
    }

    @Test
    void refuseAShareThatIsNone() {
        AtomicInteger refused = new AtomicInteger();
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.work(MARK).each(job -> {
                assertThatThrownBy(() -> job.progress(101, "more than all"))
                        .isInstanceOf(OneRoofException.class)
                        .hasMessage("percent: '101' is not allowed; allowed are 0 to 100");
                refused.incrementAndGet();
                return Outcome.done();
            });
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitEnded(1);
        }
        assertThat(refused).hasValue(1);
        assertThat(strings("SELECT line FROM oneroof.job_log")).isEmpty();
    }

    /** However many there are: the first thousand, then how far it is and the last word. */
    @Test
    void keepTheLastOfVeryMany() {
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.work(MARK).each(job -> {
                for (int n = 1; n <= 5000; n++) {
                    job.progress(n / 50, "line " + n);
                }
                return Outcome.done();
            });
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitEnded(1);
        }
        assertThat(strings("SELECT count(*) <= 1000 AND min(log_id) = min(log_id) FILTER (WHERE line = 'line 1')"
                        + " FROM oneroof.job_log"))
                .containsExactly("t");
        assertThat(
                        strings(
                                "SELECT line || ' ' || percent || ' ' || (left_out > 0) FROM oneroof.job_log ORDER BY log_id DESC LIMIT 1"))
                .containsExactly("line 5000 100 true");
    }

    /** A handler's own transaction waits with its lines for a lock on their table. */
    @Test
    void keepNobodyElsesEndFromBeingToldWhileAHandlerWritesThem() throws Exception {
        JobKind inTx = JobKind.named("in_tx");
        JobKind speaking = JobKind.named("speaking");
        JobKind silent = JobKind.named("silent");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource());
                Sql other = database.sql()) {
            CountDownLatch mayEnd = new CountDownLatch(1);
            oneroof.work(inTx).eachInTx((tx, job) -> {
                mayEnd.await();
                job.say("of the handler's transaction");
                return Outcome.done();
            });
            oneroof.work(speaking).each(job -> {
                // The writer of ends has this one in hand for a second: so the other's handler is first at its own.
                job.say("of the writer's");
                return Outcome.done();
            });
            oneroof.work(silent).each(job -> Outcome.done());
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("in_tx", Payload.EMPTY));
            other.run("BEGIN");
            other.run("LOCK TABLE oneroof.job_log IN ACCESS EXCLUSIVE MODE");
            oneroof.jobs().enqueue(NewJob.of("speaking", Payload.EMPTY));
            awaitWaiting(1);
            mayEnd.countDown();
            awaitWaiting(2);
            awaitEnded(1);
            oneroof.jobs().enqueue(NewJob.of("silent", Payload.EMPTY));
            awaitEnded(2);
            other.run("ROLLBACK");
            awaitEnded(3);
        }
        assertThat(strings("SELECT line FROM oneroof.job_log")).containsExactly("of the handler's transaction");
    }

    /** While a handler writes them they are skipped; when their job ends they are not. */
    @Test
    void areWrittenInTheirOrderBeforeTheEndOfTheirJob() throws Exception {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        JobLeaseStore store = new JobLeaseStore();
        new Jobs(db).register(MARK, "test");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        Duration five = Duration.ofSeconds(5);
        LeasedJob job = db.inTx(tx ->
                        store.lease(tx, Map.of("mark_file", 1), 1, "one", Map.of(), UUID.randomUUID(), five, five))
                .getFirst();
        List<JobLogWriter.Entry> queue = new ArrayList<>();
        JobLogWriter lines = new JobLogWriter(db, store, queue::add, new Waiting());
        ReentrantLock writing = new ReentrantLock();
        for (int n = 1; n <= 50; n++) {
            lines.add(new JobLogWriter.Entry(job, new JobLogWriter.Line("line " + n, null), writing));
        }

        writing.lock();
        try {
            CompletableFuture.runAsync(() -> lines.write(queue.subList(0, 49), Set.of()))
                    .get(20, TimeUnit.SECONDS);
        } finally {
            writing.unlock();
        }
        // At once, before their time has come: they were passed by, or this would still wait.
        lines.write(queue.subList(49, 50), Set.of(job.lease()));
        assertThat(strings("SELECT line FROM oneroof.job_log ORDER BY log_id"))
                .isEqualTo(
                        IntStream.rangeClosed(1, 50).mapToObj(n -> "line " + n).toList());
    }

    private void awaitWaiting(int sessions) {
        Await.patiently()
                .until(
                        sessions + " waiting",
                        () -> database.value(
                                Long.class,
                                "SELECT count(*) FROM pg_locks WHERE NOT granted"
                                        + " AND relation = 'oneroof.job_log'::regclass"),
                        waiting -> waiting >= sessions);
    }

    private void awaitEnded(int count) {
        Await.patiently()
                .until(
                        count + " ended",
                        () -> database.value(
                                Long.class, "SELECT count(*) FROM oneroof.job_history WHERE state = 'succeeded'"),
                        ended -> ended == count);
    }

    private List<String> strings(String query) {
        return database.list(row -> row.getString(1), query);
    }
}
