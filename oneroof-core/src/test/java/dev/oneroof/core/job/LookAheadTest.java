package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a process leases before a handler is free for it, and what it does not. */
@OneRoofTest
class LookAheadTest {
    private static final LoopConfig QUICK =
            new LoopConfig(Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(50), Duration.ofSeconds(1));
    private static final JobKind MARK = JobKind.named("mark_file").triedUpTo(3);
    private static final int ALL = 400;

    private TestDatabase database;

    @BeforeEach
    void opensTheGate(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
    }

    /** A process that dies takes the last attempt from those alone that its handlers have begun. */
    @Test
    void leasesNoJobAheadOnItsLastAttempt() throws InterruptedException {
        assertThat(lastOnesLeased(MARK.triedUpTo(1), NewJob.of("mark_file", Payload.EMPTY)))
                .isEqualTo(2);
    }

    @Test
    void norWhereOnlySomeOfThemAreOnTheirs() throws InterruptedException {
        assertThat(lastOnesLeased(
                        MARK,
                        NewJob.of("mark_file", Payload.EMPTY),
                        NewJob.of("mark_file", Payload.EMPTY),
                        NewJob.of("mark_file", Payload.EMPTY).triedUpTo(1)))
                .isLessThanOrEqualTo(2);
    }

    /** How many are leased on their last attempt while both handlers stand still; all of them end well. */
    private long lastOnesLeased(JobKind kind, NewJob... inTurn) throws InterruptedException {
        CountDownLatch stand = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.work(kind).atOnce(2).each(job -> {
                if (calls.incrementAndGet() >= ALL / 2 && goOn.getCount() > 0) {
                    stand.countDown();
                    goOn.await();
                }
                return Outcome.done();
            });
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, ALL)
                            .mapToObj(n -> inTurn[n % inTurn.length])
                            .toList());
            oneroof.start();
            stand.await();
            // What is done has been told; what is leased is in somebody's hands.
            Await.patiently().until("the ends", () -> count("job_history") >= ALL / 2 - 1);
            long leased = database.value(
                    Long.class,
                    "SELECT count(*) FROM oneroof.job_queue WHERE state = 'leased' AND attempts + 1 >= max_attempts");
            goOn.countDown();
            Await.patiently().until("all of them", () -> count("job_history") == ALL);
            assertThat(database.list(
                            row -> row.getString(1), "SELECT DISTINCT state || attempts FROM oneroof.job_history"))
                    .containsExactly("succeeded1");
            return leased;
        }
    }

    /** Its handlers keep all its threads; another process, which hears of jobs and does not look for them, has nothing to do. */
    @Test
    void leavesJobsToOthersWhileItsThreadsAreBusy() {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.notify.bridge_enabled'");
        LoopConfig rare = new LoopConfig(
                Duration.ofSeconds(60), Duration.ofMillis(100), Duration.ofMinutes(5), Duration.ofSeconds(1));
        try (OneRoof idle = OneRoof.open(RuntimeConfig.named("idle").withLoop(rare), database.dataSource())) {
            idle.work(MARK).each(job -> Outcome.done());
            idle.start();
            Await.patiently()
                    .until(
                            "it to listen, and to have found nothing",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM oneroof.queue_heartbeat i JOIN oneroof.queue_heartbeat h"
                                                    + " ON h.executor_name = 'jobs/idle/0' AND h.ticks_total > 0"
                                                    + " WHERE i.executor_name = 'instance/idle'"
                                                    + " AND i.last_beat_payload ->> 'wake_ups' = 'listening'")
                                    == 1);
            try (JavaProcess busy = SpinningProcess.start(database)) {
                Await.upTo(Duration.ofSeconds(10))
                        .until("some jobs of the busy one to be done", () -> doneBy("idle") >= 3);
                assertThat(busy.alive()).isTrue();
            }
        }
    }

    private long doneBy(String owner) {
        return database.value(
                Long.class,
                "SELECT count(*) FROM oneroof.job_history WHERE job_kind = 'mark_file' AND lease_owner = ?",
                owner);
    }

    private long count(String table) {
        return database.value(Long.class, "SELECT count(*) FROM oneroof." + table);
    }
}
