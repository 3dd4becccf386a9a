package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** What a process leases before a handler is free for it, and what it does not. */
@OneRoofTest
class PrefetchTest {
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

    /** A process that dies uses up the last attempt only of jobs that its handlers have started. */
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
            // The outcome of finished jobs is written; leased ones are in flight.
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
            awaitListening("idle");
            try (JavaProcess busy = SpinningProcess.start(database)) {
                Await.upTo(Duration.ofSeconds(10))
                        .until("some jobs of the busy one to be done", () -> doneBy("idle") >= 3);
                assertThat(busy.alive()).isTrue();
            }
        }
    }

    /** Sixteen that end together, after a time, are not a quick kind. */
    @Test
    void hoardsNoJobsWhereHandlersTakeLongAndEndTogether() {
        assertThat(mostInHand(MARK, 8, 40, Duration.ofMillis(400))).isLessThanOrEqualTo(8);
    }

    /** What is queued in one process would use up capacity of the others. */
    @Test
    void leasesNoneAheadOfAKindWithALimit() {
        assertThat(mostInHand(MARK.atMostAtOnce(50), 1, 150, Duration.ofMillis(3)))
                .isEqualTo(1);
        assertThat(mostInHand(
                        JobKind.named("paced").atMost(10_000, Duration.ofSeconds(1)), 1, 150, Duration.ofMillis(3)))
                .isEqualTo(1);
    }

    /** The most jobs that were leased and not finished. Finished ones with an unwritten outcome do not count. */
    private long mostInHand(JobKind kind, int atOnce, int jobs, Duration each) {
        AtomicLong most = new AtomicLong();
        AtomicLong done = new AtomicLong();
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.work(kind).atOnce(atOnce).each(job -> {
                Await.pause(each);
                done.incrementAndGet();
                return Outcome.done();
            });
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, jobs)
                            .mapToObj(n -> NewJob.of(kind.name(), Payload.EMPTY))
                            .toList());
            oneroof.start();
            Await.patiently().until("all of them", () -> {
                long waiting = database.value(
                        Long.class,
                        "SELECT count(*) FROM oneroof.job_queue WHERE state = 'queued' AND job_kind = ?",
                        kind.name());
                most.accumulateAndGet(jobs - waiting - done.get(), Math::max);
                return done.get() == jobs;
            });
        }
        return most.get();
    }

    /** While both handlers block, so that none starts it. */
    @Test
    void givesUpAJobThatIsCancelledBeforeAHandlerHasBegunIt() throws InterruptedException {
        CountDownLatch stand = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Set<JobId> started = ConcurrentHashMap.newKeySet();
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            // After a third of a short lease it would be handed back, and given up by that.
            oneroof.work(MARK.leasedFor(Duration.ofMinutes(10))).atOnce(1).each(job -> {
                started.add(job.id());
                if (started.size() >= ALL / 2) {
                    stand.countDown();
                    goOn.await();
                }
                return Outcome.done();
            });
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, ALL)
                            .mapToObj(n -> NewJob.of("mark_file", Payload.EMPTY))
                            .toList());
            oneroof.start();
            stand.await();
            Await.patiently().until("the ends", () -> count("job_history") >= ALL / 2 - 1);
            JobId waiting = database
                    .list(
                            row -> new JobId(row.getObject(1, UUID.class)),
                            "SELECT job_id FROM oneroof.job_queue WHERE state = 'leased'")
                    .stream()
                    .filter(id -> !started.contains(id))
                    .findFirst()
                    .orElseThrow();
            assertThat(oneroof.jobs().cancel(waiting, new OperatorAct("ann", "not needed")))
                    .isEqualTo(Jobs.Cancelled.REQUESTED);
            Await.patiently()
                    .until(
                            "its end",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM oneroof.job_history WHERE state = 'cancelled'")
                                    == 1);
            assertThat(started).doesNotContain(waiting);
            goOn.countDown();
            Await.patiently().until("all of them", () -> count("job_history") == ALL);
            assertThat(started).hasSize(ALL - 1);
        }
    }

    /** Jobs that start in the same process need no wake-up; for more than that the others are woken. */
    @Test
    void tellsOthersOfJobsThatItWouldNotBeginAtOnce() throws Exception {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.notify.bridge_enabled'");
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource());
                Connection others = database.connect();
                Statement statement = others.createStatement()) {
            CountDownLatch started = new CountDownLatch(1);
            oneroof.work(MARK).atOnce(2).each(job -> {
                started.countDown();
                mayEnd.await();
                return Outcome.done();
            });
            oneroof.start();
            awaitListening("one");
            statement.execute("LISTEN queue_wake_system");

            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            assertThat(heardUntilNow(others)).as("of one that it starts").isZero();
            started.await();
            oneroof.jobs()
                    .enqueueAll(List.of(NewJob.of("mark_file", Payload.EMPTY), NewJob.of("mark_file", Payload.EMPTY)));
            assertThat(heardUntilNow(others)).as("of two where one is free").isPositive();
            mayEnd.countDown();
            Await.patiently().until("all of them", () -> count("job_history") == 3);
        }
    }

    /** How many wake-ups for jobs came before one that is sent now. */
    private long heardUntilNow(Connection connection) throws SQLException {
        database.run("SELECT pg_notify('queue_wake_system', 'mark')");
        List<String> heard = new ArrayList<>();
        PGConnection listening = connection.unwrap(PGConnection.class);
        Await.patiently().until("the mark", () -> {
            try {
                for (PGNotification one : listening.getNotifications(100)) {
                    heard.add(one.getParameter());
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return heard.contains("mark");
        });
        return heard.stream().filter("job"::equals).count();
    }

    private void awaitListening(String name) {
        Await.patiently()
                .until(
                        "it to listen, and to have found nothing",
                        () -> database.value(
                                        Long.class,
                                        "SELECT count(*) FROM oneroof.queue_heartbeat i JOIN oneroof.queue_heartbeat h"
                                                + " ON h.executor_name = 'jobs/' || ? || '/0' AND h.ticks_total > 0"
                                                + " WHERE i.executor_name = 'instance/' || ?"
                                                + " AND i.last_beat_payload ->> 'wake_ups' = 'listening'",
                                        name,
                                        name)
                                == 1);
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
