package dev.oneroof.core.job.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.job.TxJobHandler;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs whose effects are committed together with their end. */
@OneRoofTest
class TxJobRunnerTest {
    private static final LoopConfig QUICK =
            new LoopConfig(Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(50), Duration.ofSeconds(1));
    private static final JobKind MARK = JobKind.named("mark_file")
            .backingOff(Duration.ofMillis(10), Duration.ofMillis(20))
            .triedUpTo(2);

    private final AtomicInteger calls = new AtomicInteger();
    private TestDatabase database;

    @BeforeEach
    void opensTheGate(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        database.run("CREATE TABLE public.effect (no integer UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    }

    @Test
    void commitsNothingOfAnAttemptThatSnoozes() {
        done(MARK, database.dataSource(), 1, (tx, job) -> {
            int call = calls.incrementAndGet();
            effect(tx, call);
            return call == 1 ? Outcome.snooze(Duration.ofMillis(5)) : Outcome.done();
        });
        assertThat(strings("SELECT no FROM public.effect")).containsExactly("2");
        assertThat(ends()).containsExactly("succeeded 1");
    }

    @Test
    void takesAHandlersWordThoughItAbandonsItsTransaction() {
        done(MARK, database.dataSource(), 1, (tx, job) -> {
            effect(tx, calls.incrementAndGet());
            tx.abandon();
            return Outcome.done();
        });
        assertThat(calls).hasValue(1);
        assertThat(strings("SELECT no FROM public.effect")).isEmpty();
        assertThat(ends()).containsExactly("succeeded 1");
    }

    @Test
    void keepsTheLinesOfAHandlerWhoseCommitFails() {
        database.run("INSERT INTO public.effect VALUES (1)");
        done(MARK, database.dataSource(), 1, (tx, job) -> {
            effect(tx, calls.incrementAndGet());
            job.say("try " + job.attempt());
            return Outcome.done();
        });
        assertThat(ends()).containsExactly("succeeded 2");
        assertThat(strings("SELECT line FROM oneroof.job_log ORDER BY log_id")).containsExactly("try 1", "try 2");
    }

    /** No handler has started them: that counts no attempt, least of all the last one. */
    @Test
    void handsBackJobsForWhichThereIsNoConnection() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(8);
        config.setConnectionTimeout(300);
        try (HikariDataSource pool = new HikariDataSource(config);
                OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), pool)) {
            oneroof.work(MARK.triedUpTo(1)).atOnce(20).eachInTx((tx, job) -> {
                calls.incrementAndGet();
                mayEnd.await();
                return Outcome.done();
            });
            oneroof.jobs().enqueueAll(jobs(20));
            oneroof.start();
            // More of them than connections, for several times as long as one waits for a connection.
            Await.patiently().until("some at work", () -> calls.get() >= 3);
            Await.pause(Duration.ofMillis(1500));
            assertThat(calls.get()).isLessThan(20);
            mayEnd.countDown();
            awaitEnded(20);
        }
        assertThat(calls).hasValue(20);
        assertThat(ends()).containsExactly("succeeded 1");
    }

    private void done(JobKind kind, DataSource connections, int count, TxJobHandler handler) {
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), connections)) {
            oneroof.work(kind).eachInTx(handler);
            oneroof.jobs().enqueueAll(jobs(count));
            oneroof.start();
            awaitEnded(count);
        }
    }

    private static List<NewJob> jobs(int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> NewJob.of("mark_file", Payload.EMPTY))
                .toList();
    }

    private static void effect(UserTx tx, int no) {
        tx.update("INSERT INTO public.effect VALUES (:no)").bind("no", no).execute();
    }

    private void awaitEnded(int count) {
        Await.patiently()
                .until(
                        count + " ended",
                        () -> database.value(Long.class, "SELECT count(*) FROM oneroof.job_history"),
                        ended -> ended == count);
    }

    private List<String> ends() {
        return strings("SELECT DISTINCT state || ' ' || attempts FROM oneroof.job_history");
    }

    private List<String> strings(String sql) {
        return database.list(row -> row.getString(1), sql);
    }
}
