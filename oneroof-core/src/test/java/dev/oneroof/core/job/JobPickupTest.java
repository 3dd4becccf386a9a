package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.job.worker.JobWorker;
import dev.oneroof.core.lease.Epoch;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that are leased on the connection that received the wake-up, without a pass of the worker's loop. */
@OneRoofTest
class JobPickupTest {
    private static final JobKind MARK = JobKind.named("mark_file");
    private static final Duration POLL = Duration.ofMinutes(1);

    private final AtomicInteger done = new AtomicInteger();
    private TestDatabase database;
    private Database db;

    @BeforeEach
    void knows(TestDatabase given) {
        database = given;
        db = new Database(given.dataSource(), SchemaName.DEFAULT);
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        new Jobs(db).register(MARK, "test");
    }

    @Test
    void beginsAJobAndCountsItInTheNextPass() {
        JobWorker worker = worker(job -> {
            done.incrementAndGet();
            return Outcome.done();
        });
        try (Notifications here = db.notifications()) {
            database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            worker.pollNow(here);
            Await.patiently().until("the handler", () -> done.get() == 1);

            assertThat(pass(worker)).isEqualTo(new Pass.CaughtUp(1, POLL));
            assertThat(pass(worker)).isEqualTo(new Pass.Idle(POLL));
        } finally {
            worker.end();
        }
        assertThat(done).hasValue(1);
    }

    @Test
    void takesNoMoreThanThereIsRoomFor() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        JobWorker worker = worker(job -> {
            mayEnd.await();
            return Outcome.done();
        });
        try (Notifications here = db.notifications()) {
            database.run("SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 10)");
            worker.pollNow(here);
            worker.pollNow(here);
            assertThat(leased()).isEqualTo(2);
        } finally {
            mayEnd.countDown();
            worker.end();
        }
    }

    @Test
    void saysWhetherThereMayBeMore() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        JobWorker worker = worker(job -> {
            mayEnd.await();
            return Outcome.done();
        });
        try (Notifications here = db.notifications()) {
            assertThat(worker.pollNow(here)).as("there is none").isTrue();
            database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            assertThat(worker.pollNow(here)).as("the only one is taken").isTrue();
            database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            assertThat(worker.pollNow(here))
                    .as("as many as were asked for have come")
                    .isFalse();
            database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            assertThat(worker.pollNow(here)).as("no room to look for any").isFalse();
            assertThat(leased()).isEqualTo(2);
        } finally {
            mayEnd.countDown();
            worker.end();
        }
    }

    @Test
    void takesNothingOnceTheWorkerEndsOrBehindTheGate() {
        JobWorker worker = worker(job -> Outcome.done());
        try (Notifications here = db.notifications()) {
            database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            database.run("UPDATE oneroof.dot_config SET value = 'false' WHERE key = 'queue.jobs.enabled'");
            worker.pollNow(here);
            assertThat(leased()).as("behind the gate").isZero();
            database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
            worker.end();
            worker.pollNow(here);
            assertThat(leased()).as("after its end").isZero();
        }
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE state = 'queued'"))
                .isEqualTo(1);
    }

    @Test
    void doesNotWaitForWhoHasLockedTheTable() {
        JobWorker worker = worker(job -> Outcome.done());
        try (Notifications here = db.notifications();
                Sql locking = database.sql()) {
            database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            locking.run("BEGIN");
            locking.run("LOCK TABLE oneroof.job_queue");
            worker.pollNow(here);
            locking.run("ROLLBACK");
            assertThat(leased()).isZero();
            String after = here.inStatement(tx -> tx.query("SELECT current_setting('lock_timeout')")
                    .mapTo(String.class)
                    .one());
            assertThat(after).as("for that look alone").isEqualTo("0");
        } finally {
            worker.end();
        }
    }

    @Test
    void leavesABrokenConnectionToTheOneThatListens() {
        JobWorker worker = worker(job -> Outcome.done());
        try (Notifications here = db.notifications()) {
            database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            int pid = here.inStatement(tx ->
                    tx.query("SELECT pg_backend_pid()").mapTo(Integer.class).one());
            database.onServer(sql -> sql.value(Boolean.class, "SELECT pg_terminate_backend(?, 5000)", pid));
            worker.pollNow(here);
            assertThat(pass(worker)).isEqualTo(new Pass.Worked(1));
            here.discard();
        } finally {
            worker.end();
        }
    }

    /** What was promised and is not leased yet counts, too. */
    @Test
    void promisesNoMoreThanItWouldBeginAtOnce() {
        JobWorker worker = worker(job -> Outcome.done());
        try {
            assertThat(worker.wouldTake(Map.of("mark_file", 3))).as("of two").isFalse();
            assertThat(worker.wouldTake(Map.of("cut_file", 1)))
                    .as("of another kind")
                    .isFalse();
            assertThat(worker.wouldTake(Map.of("mark_file", 2))).isTrue();
            assertThat(worker.wouldTake(Map.of("mark_file", 1)))
                    .as("beside two")
                    .isFalse();
            assertThat(pass(worker)).isEqualTo(new Pass.Idle(POLL));
            assertThat(worker.wouldTake(Map.of("mark_file", 1)))
                    .as("after a look")
                    .isTrue();
        } finally {
            worker.end();
        }
        assertThat(worker.wouldTake(Map.of("mark_file", 1))).as("after its end").isFalse();
    }

    /** The first job after a rest must start soon, and a lease that prefetches needs one more round trip. */
    @Test
    void leasesAheadOnlyWhenItHasBegunWhatItCan() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger started = new AtomicInteger();
        JobWorker worker = worker(job -> {
            if (started.incrementAndGet() > 20) {
                mayEnd.await();
            }
            done.incrementAndGet();
            return Outcome.done();
        });
        try {
            database.run("SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 20)");
            Await.patiently().until("quick ones", () -> pass(worker) instanceof Pass.Idle && done.get() == 20);
            // The last of them may not have let go yet.
            Await.patiently().until("a rest", () -> worker.wouldTake(Map.of("mark_file", 2)));
            assertThat(pass(worker)).isEqualTo(new Pass.Idle(POLL));
            database.run("SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 30)");
            assertThat(pass(worker)).isEqualTo(new Pass.Worked(2));
            mayEnd.countDown();
            Await.patiently().until("all of them", () -> {
                pass(worker);
                return done.get() == 50;
            });
        } finally {
            mayEnd.countDown();
            worker.end();
        }
    }

    @Test
    void looksAgainWhereTheEndOfAJobMakesPlaceForAnother() {
        for (JobHandlerSpec work : List.of(
                new JobHandlerSpec(MARK.atMostAtOnce(1), 2, job -> Outcome.done(), null),
                new JobHandlerSpec(MARK.atMostAtOnce(1), 2, null, (tx, job) -> Outcome.done()))) {
            AtomicInteger woken = new AtomicInteger();
            JobWorker worker = worker(work, woken::incrementAndGet);
            try {
                database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
                pass(worker);
                Await.patiently().until("a look", () -> woken.get() >= 1);
            } finally {
                worker.end();
            }
        }
    }

    /** The other kind has nothing to do, so its worker's looks become rare. */
    @Test
    void looksAgainWhereAKindThatWasLeftOutHasRoom() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger woken = new AtomicInteger();
        JobHandlerSpec slow = new JobHandlerSpec(
                MARK,
                1,
                job -> {
                    mayEnd.await();
                    return Outcome.done();
                },
                null);
        JobHandlerSpec other = new JobHandlerSpec(JobKind.named("cut_file"), 1, job -> Outcome.done(), null);
        new Jobs(db).register(other.kind(), "test");
        JobWorker worker = new JobWorker("one", db, List.of(slow, other), POLL, () -> {}, woken::incrementAndGet);
        worker.prepare();
        try {
            database.run("SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 2)");
            assertThat(pass(worker)).isEqualTo(new Pass.Worked(1));
            assertThat(pass(worker)).isEqualTo(new Pass.Idle(POLL));
            assertThat(woken).hasValue(0);
            mayEnd.countDown();
            Await.patiently().until("it to be woken", () -> woken.get() == 1);
            assertThat(pass(worker)).isEqualTo(new Pass.Worked(1));
        } finally {
            mayEnd.countDown();
            worker.end();
        }
    }

    private JobWorker worker(JobHandler handler) {
        return worker(new JobHandlerSpec(MARK, 2, handler, null), () -> {});
    }

    private JobWorker worker(JobHandlerSpec work, Runnable wake) {
        new Jobs(db).register(work.kind(), "test");
        JobWorker worker = new JobWorker("one", db, List.of(work), POLL, wake, () -> {});
        worker.prepare();
        return worker;
    }

    private static Pass pass(JobWorker worker) {
        return worker.runOnce(new Lease(worker.spec().scope(), "one", new Epoch(1), Duration.ofSeconds(30)));
    }

    private long leased() {
        return database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE state = 'leased'");
    }
}
