package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.job.worker.JobRunner;
import dev.oneroof.core.job.worker.LeaseReleaser;
import dev.oneroof.core.job.worker.OutcomeWriter;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs whose rows an open transaction has locked. They wait, and no other job does. */
@OneRoofTest
class HeldJobsTest {
    private static final Duration FIVE = Duration.ofSeconds(5);
    private static final LoopConfig QUICK =
            new LoopConfig(Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(50), Duration.ofSeconds(1));
    private static final JobKind MARK = JobKind.named("mark_file");

    private TestDatabase database;
    private Database db;

    @BeforeEach
    void opensTheGate(TestDatabase given) {
        database = given;
        db = new Database(given.dataSource(), SchemaName.DEFAULT);
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        new Jobs(db).register(MARK, "test");
    }

    @Test
    void areHandedBackLaterAndTheOthersAtOnce() throws Exception {
        JobLeaseStore store = new JobLeaseStore();
        LeaseReleaser back = new LeaseReleaser(db, store);
        database.run("SELECT oneroof.fn_job_enqueue('mark_file') FROM generate_series(1, 3)");
        List<LeasedJob> leased = db.inTx(
                tx -> store.lease(tx, Map.of("mark_file", 3), 3, "one", Map.of(), UUID.randomUUID(), FIVE, FIVE));
        try (Sql other = database.sql()) {
            other.run("BEGIN");
            other.run(
                    "SELECT FROM oneroof.job_queue WHERE job_id = ? FOR UPDATE",
                    leased.getFirst().id().value());
            CompletableFuture.runAsync(() -> back.release(leased)).get(20, TimeUnit.SECONDS);
            assertThat(queued()).isEqualTo(2);
            back.releasePending();
            assertThat(queued()).isEqualTo(2);
            other.run("ROLLBACK");
        }
        back.releasePending();
        assertThat(queued()).isEqualTo(3);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE attempts > 0"))
                .isZero();
    }

    /** Its lease has been extended since: it is longer ago that it was leased than the lease lasts. */
    @Test
    void areHandedBackThoughTheirFirstLeaseIsOver() {
        JobLeaseStore store = new JobLeaseStore();
        new Jobs(db).register(MARK.leasedFor(Duration.ofSeconds(1)), "test");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        List<LeasedJob> leased = db.inTx(
                tx -> store.lease(tx, Map.of("mark_file", 1), 1, "one", Map.of(), UUID.randomUUID(), FIVE, FIVE));
        database.run("UPDATE oneroof.job_queue SET lease_until = clock_timestamp() + interval '1 minute'");
        Await.patiently()
                .until("its first lease to be over", () -> leased.getFirst().isOver());
        new LeaseReleaser(db, store).release(leased);
        assertThat(queued()).isEqualTo(1);
    }

    @Test
    void endWhenTheyAreLetGoAndTheOthersBefore() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource());
                Sql other = database.sql()) {
            oneroof.work(MARK).each(job -> {
                if (job.payload().contains("held")) {
                    started.countDown();
                    mayEnd.await();
                }
                return Outcome.done();
            });
            oneroof.start();
            Enqueued held = oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.of(Map.of("held", 1))));
            started.await();
            other.run("BEGIN");
            other.run(
                    "SELECT FROM oneroof.job_queue WHERE job_id = ? FOR UPDATE",
                    held.id().value());
            mayEnd.countDown();
            for (int more = 1; more <= 3; more++) {
                oneroof.jobs()
                        .enqueueAll(IntStream.range(0, 50)
                                .mapToObj(n -> NewJob.of("mark_file", Payload.EMPTY))
                                .toList());
                awaitSucceeded(50L * more);
            }
            other.run("ROLLBACK");
            awaitSucceeded(151);
        }
        assertThat(database.list(row -> row.getInt(1), "SELECT DISTINCT attempts FROM oneroof.job_history"))
                .containsExactly(1);
    }

    /** The lease waits for a lock on the whole table, for most of its time. */
    @Test
    void areBegunThoughTheLookForThemTookLong() throws Exception {
        JobKind once = MARK.leasedFor(Duration.ofSeconds(4)).triedUpTo(1);
        new Jobs(db).register(once, "test");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource());
                Sql other = database.sql()) {
            other.run("BEGIN");
            other.run("LOCK TABLE oneroof.job_queue IN SHARE MODE");
            oneroof.work(once).each(job -> Outcome.done());
            oneroof.start();
            Await.patiently()
                    .until(
                            "a look for most of its lease",
                            () -> database.value(
                                    Boolean.class,
                                    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                            + " AND query LIKE '%fn_job_lease(%'"
                                            + " AND query_start < clock_timestamp() - interval '2.5 s')"));
            other.run("ROLLBACK");
            awaitSucceeded(1);
        }
        assertThat(database.value(Integer.class, "SELECT attempts FROM oneroof.job_history"))
                .isEqualTo(1);
    }

    @Test
    void areHandedBackWhereTheirProcessStoodStillBeforeTheyWereBegun() throws Exception {
        JobLeaseStore store = new JobLeaseStore();
        new Jobs(db).register(MARK.leasedFor(Duration.ofSeconds(1)), "test");
        database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
        List<LeasedJob> leased = db.inTx(
                tx -> store.lease(tx, Map.of("mark_file", 1), 1, "one", Map.of(), UUID.randomUUID(), FIVE, FIVE));
        Await.patiently().until("its lease to be over", () -> leased.getFirst().isOver());
        OutcomeWriter ending = new OutcomeWriter(db, store, written -> {});
        JobHandlerSpec work = new JobHandlerSpec(MARK, 1, job -> Outcome.done(), null);

        LeaseReleaser back = new LeaseReleaser(db, store);
        new JobRunner(db, store, ending, back).run(work, leased.getFirst());
        back.releasePending();

        assertThat(queued()).isEqualTo(1);
        assertThat(ending.unwritten()).isEmpty();
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
