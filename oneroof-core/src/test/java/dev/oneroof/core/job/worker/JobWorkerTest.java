package dev.oneroof.core.job.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.Enqueued;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs from enqueue to their end, in a running instance. */
@OneRoofTest
class JobWorkerTest {
    private static final OperatorAct ANN = new OperatorAct("ann", "not needed");
    private static final LoopConfig QUICK =
            new LoopConfig(Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(50), Duration.ofSeconds(1));
    private static final JobKind MARK = JobKind.named("mark_file")
            .in("cut")
            .backingOff(Duration.ofMillis(10), Duration.ofMillis(20))
            .triedUpTo(3);

    private TestDatabase database;

    @BeforeEach
    void opensTheGate(TestDatabase given) {
        database = given;
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
    }

    @Test
    void doesEachJobOnceWithWhatItWasGiven() {
        Map<String, Integer> done = new ConcurrentHashMap<>();
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).each(job -> {
                assertThat(job.attempt()).isEqualTo(1);
                done.merge(job.payload(), 1, Integer::sum);
                return Outcome.done();
            });
            oneroof.start();
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, 5000)
                            .mapToObj(n -> NewJob.of("mark_file", Payload.of(Map.of("no", n))))
                            .toList());
            awaitEnded("succeeded", 5000);
        }
        assertThat(done).hasSize(5000).containsKey("{\"no\": 4711}");
        assertThat(done.values()).containsOnly(1);
        assertThat(count("job_queue")).isZero();
    }

    @Test
    void keepsTheLeaseOfAJobThatIsDoneUntilThatIsTold() throws Exception {
        AtomicInteger done = new AtomicInteger();
        try (OneRoof oneroof = open("one");
                Connection other = database.connect();
                Statement locking = other.createStatement()) {
            oneroof.work(MARK.leasedFor(Duration.ofSeconds(4))).each(job -> {
                done.incrementAndGet();
                return Outcome.done();
            });
            oneroof.start();
            other.setAutoCommit(false);
            // No end can be written now.
            locking.execute("LOCK TABLE oneroof.job_history IN SHARE MODE");
            for (int n = 0; n < 5; n++) {
                oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            }
            Await.patiently()
                    .until(
                            "two extensions",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM oneroof.job_queue WHERE lease_until > leased_at + interval '9 seconds'")
                                    == 5);
            Await.patiently()
                    .until(
                            "it to be reported",
                            () -> database.value(
                                    Boolean.class,
                                    "SELECT last_beat_payload ->> 'reason' LIKE 'could not record the outcome of 5 jobs for%'"
                                            + " FROM oneroof.queue_heartbeat WHERE executor_name = 'jobs/one/0'"));
            other.rollback();
            awaitEnded("succeeded", 5);
        }
        assertThat(done).hasValue(5);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_history WHERE attempts > 1"))
                .isZero();
    }

    @Test
    void enqueuesOnAConnectionOfTheCallersAndLeavesItsTransactionToIt() throws Exception {
        database.run("CREATE TABLE public.orders (id integer)");
        try (OneRoof oneroof = open("one");
                Connection own = database.connect();
                Statement statement = own.createStatement()) {
            oneroof.work(MARK).each(job -> Outcome.done());
            oneroof.start();
            own.setAutoCommit(false);
            statement.execute("INSERT INTO public.orders VALUES (1)");
            oneroof.jobs().enqueue(own, NewJob.of("mark_file", Payload.EMPTY));
            own.rollback();
            assertThat(count("job_queue")).isZero();

            statement.execute("INSERT INTO public.orders VALUES (2)");
            assertThat(oneroof.jobs()
                            .enqueueAll(
                                    own,
                                    List.of(
                                            NewJob.of("mark_file", Payload.EMPTY),
                                            NewJob.of("mark_file", Payload.EMPTY))))
                    .allMatch(Enqueued::isNew);
            assertThatThrownBy(() -> oneroof.jobs().enqueue(own, NewJob.of("nothing", Payload.EMPTY)))
                    .isInstanceOf(OneRoofException.class)
                    .hasMessageContaining("kind 'nothing' is not registered");
            own.rollback();
            statement.execute("INSERT INTO public.orders VALUES (3)");
            oneroof.jobs().enqueue(own, NewJob.of("mark_file", Payload.EMPTY));
            own.commit();
            Database elsewhere = new Database(database.dataSource(), new SchemaName("elsewhere"));
            assertThatThrownBy(() -> elsewhere.<Integer>within(
                            own,
                            tx -> tx.query("SELECT 1 FROM oneroof.job_queue")
                                    .mapTo(Integer.class)
                                    .one()))
                    .as("by the name that the schema has")
                    .hasMessageContaining("\"elsewhere.job_queue\" does not exist");
            own.rollback();
            awaitEnded("succeeded", 1);
        }
        assertThat(database.list(row -> row.getInt(1), "SELECT id FROM public.orders"))
                .containsExactly(3);
    }

    @Test
    void commitsTheEffectTogetherWithTheEndOfTheJob() {
        database.run("CREATE TABLE public.effect (job uuid, attempt integer)");
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).eachInTx((tx, job) -> {
                tx.update("INSERT INTO public.effect VALUES (:job, :attempt)")
                        .bind("job", job.id().value())
                        .bind("attempt", job.attempt())
                        .execute();
                return switch (job.attempt()) {
                    case 1 -> throw new IOException("the first time it fails");
                    case 2 -> Outcome.retryIn(Duration.ofMillis(5), "the second time, too");
                    default -> Outcome.done();
                };
            });
            oneroof.start();
            oneroof.jobs()
                    .enqueueAll(List.of(NewJob.of("mark_file", Payload.EMPTY), NewJob.of("mark_file", Payload.EMPTY)));
            awaitEnded("succeeded", 2);
        }
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.effect WHERE attempt = 3"))
                .isEqualTo(2);
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.effect"))
                .isEqualTo(2);
    }

    @Test
    void enqueuesInTheCallersTransactionOrNotAtAll() {
        try (OneRoof oneroof = open("one")) {
            oneroof.jobs().register(MARK, "ann");
            assertThatThrownBy(() -> oneroof.database().useTx(tx -> {
                        oneroof.jobs().enqueue(tx, NewJob.of("mark_file", Payload.EMPTY));
                        throw new IllegalStateException("what else it did failed");
                    }))
                    .hasMessageContaining("what else");
            assertThat(count("job_queue")).isZero();

            Enqueued first =
                    oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY).once("k"));
            Enqueued second =
                    oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY).once("k"));
            assertThat(first.isNew()).isTrue();
            assertThat(second).isEqualTo(new Enqueued(first.id(), false));
        }
    }

    @Test
    @SuppressWarnings("NullAway") // a handler that returns null is one of them
    void givesUpAfterTheLastAttemptWhateverTheHandlerThrows() {
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).each(job -> {
                switch (job.attempt()) {
                    case 1 -> throw new IllegalStateException("a NUL \0 in it");
                    case 2 -> throw new StackOverflowError();
                    default -> throw new OutOfMemoryError("so it says");
                }
            });
            oneroof.work(JobKind.named("null_handler").triedUpTo(1)).each(job -> null);
            oneroof.work(JobKind.named("hopeless")).each(job -> Outcome.dead("it will never do"));
            oneroof.work(JobKind.named("unneeded")).each(job -> Outcome.cancel("somebody else did it"));
            oneroof.start();
            for (String kind : List.of("mark_file", "null_handler", "hopeless", "unneeded")) {
                oneroof.jobs().enqueue(NewJob.of(kind, Payload.EMPTY));
            }
            awaitEnded("failed", 3);
            awaitEnded("cancelled", 1);
        }
        assertThat(
                        database.list(
                                row -> row.getString(1),
                                "SELECT concat_ws(' ', job_kind, attempts, error_class, last_error) FROM oneroof.job_dead_letter ORDER BY 1"))
                .containsExactly(
                        "hopeless 1 outcome it will never do",
                        "mark_file 3 java.lang.OutOfMemoryError so it says",
                        "null_handler 1 outcome the handler returned null");
    }

    @Test
    void snoozesWithoutCountingAnAttempt() {
        AtomicInteger calls = new AtomicInteger();
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK.triedUpTo(1))
                    .each(job -> calls.incrementAndGet() < 4 ? Outcome.snooze(Duration.ofMillis(10)) : Outcome.done());
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitEnded("succeeded", 1);
        }
        assertThat(calls).hasValue(4);
    }

    @Test
    void keepsTheLeaseOfAHandlerThatTakesLongAndTellsOfItsProgress() {
        AtomicInteger started = new AtomicInteger();
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK.leasedFor(Duration.ofSeconds(2))).each(job -> {
                started.incrementAndGet();
                job.progress(50, "half of it");
                new CountDownLatch(1).await(5, TimeUnit.SECONDS);
                return Outcome.done();
            });
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitEnded("succeeded", 1);
        }
        assertThat(started).hasValue(1);
        assertThat(database.value(String.class, "SELECT percent || ' ' || line FROM oneroof.job_log"))
                .isEqualTo("50 half of it");
    }

    @Test
    void tellsAHandlerThatItsJobIsCancelled() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).each(job -> {
                started.countDown();
                try {
                    new CountDownLatch(1).await();
                } finally {
                    assertThat(job.isCancelled()).isTrue();
                    told.countDown();
                }
                return Outcome.done();
            });
            oneroof.start();
            Enqueued job = oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            started.await();
            assertThat(oneroof.jobs().cancel(job.id(), ANN)).isEqualTo(Jobs.Cancelled.REQUESTED);
            told.await();
            awaitEnded("cancelled", 1);
            assertThatThrownBy(() -> oneroof.jobs().cancel(job.id(), ANN))
                    .isInstanceOf(OneRoofException.class)
                    .hasMessageContaining("has ended");
        }
        assertThat(database.value(String.class, "SELECT last_error FROM oneroof.v_job"))
                .isEqualTo("cancelled by ann: not needed");
    }

    @Test
    void stopsAHandlerPastItsDeadlineAndGoesOnWithOthers() {
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK.doneWithin(Duration.ofSeconds(1)).triedUpTo(1))
                    .atOnce(1)
                    .each(job -> {
                        if (job.payload().contains("slow")) {
                            new CountDownLatch(1).await();
                        }
                        return Outcome.done();
                    });
            oneroof.start();
            oneroof.jobs()
                    .enqueueAll(List.of(
                            NewJob.of("mark_file", Payload.of(Map.of("slow", true))),
                            NewJob.of("mark_file", Payload.EMPTY)));
            awaitEnded("failed", 1);
            awaitEnded("succeeded", 1);
        }
        assertThat(database.value(String.class, "SELECT error_class FROM oneroof.job_dead_letter"))
                .isEqualTo("deadline");
    }

    @Test
    void saysThatItIsStuckWhileAHandlerDoesNotEndAtAll() {
        CountDownLatch release = new CountDownLatch(1);
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK.doneWithin(Duration.ofSeconds(1))
                            .leasedFor(Duration.ofSeconds(2))
                            .triedUpTo(1))
                    .each(job -> {
                        while (release.getCount() > 0) {
                            LockSupport.parkNanos(1_000_000);
                        }
                        return Outcome.done();
                    });
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            Await.patiently()
                    .until(
                            "the state",
                            () -> database.list(
                                    row -> row.getString(1) + " " + row.getString(2),
                                    "SELECT state, reason FROM oneroof.v_queue_health WHERE executor_name = 'jobs/one/0'"),
                            states -> states.size() == 1
                                    && states.getFirst().startsWith("stuck the handler of mark_file "));
            awaitEnded("failed", 1);
            release.countDown();
            Await.patiently()
                    .until(
                            "all to be well again",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM oneroof.v_queue_health WHERE executor_name = 'jobs/one/0' AND state = 'quiet'")
                                    == 1);
        } finally {
            release.countDown();
        }
        assertThat(database.value(String.class, "SELECT error_class FROM oneroof.job_dead_letter"))
                .isEqualTo("lease_expired");
        assertThat(count("job_history")).as("its late end changed nothing").isEqualTo(1);
    }

    @Test
    void handsBackWhatItHasNotBegunWhenItEnds() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).atOnce(1).each(job -> {
                if (calls.incrementAndGet() == 3000) {
                    started.countDown();
                    mayEnd.await();
                }
                return Outcome.done();
            });
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, 4000)
                            .mapToObj(n -> NewJob.of("mark_file", Payload.EMPTY))
                            .toList());
            oneroof.start();
            started.await();
            Await.patiently().until("some ahead", () -> leased() > 1);
            Thread.ofPlatform().start(() -> {
                Await.patiently().until("the rest to be handed back", () -> leased() == 1);
                mayEnd.countDown();
            });
        }
        assertThat(count("job_history")).isEqualTo(3000);
        assertThat(database.value(
                        Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE state = 'queued' AND attempts = 0"))
                .isEqualTo(1000);
    }

    @Test
    void hoardsNoJobsWhileItsHandlersAreSlow() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).atOnce(2).each(job -> {
                mayEnd.await();
                return Outcome.done();
            });
            oneroof.jobs()
                    .enqueueAll(IntStream.range(0, 50)
                            .mapToObj(n -> NewJob.of("mark_file", Payload.EMPTY))
                            .toList());
            oneroof.start();
            Await.patiently().until("both at work", () -> leased() == 2);
            assertThat(Await.upTo(Duration.ofSeconds(1)).holds(() -> leased() > 2))
                    .isFalse();
            mayEnd.countDown();
            awaitEnded("succeeded", 50);
        }
    }

    private long leased() {
        return database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE state = 'leased'");
    }

    @Test
    void neverHasMoreOfAKindThanItsLimitOverThreeInstances() {
        AtomicInteger now = new AtomicInteger();
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        JobKind single = MARK.atMostAtOnce(2);
        try (OneRoof one = open("one");
                OneRoof two = open("two");
                OneRoof three = open("three")) {
            for (OneRoof oneroof : List.of(one, two, three)) {
                oneroof.work(single).each(job -> {
                    seen.add(now.incrementAndGet());
                    new CountDownLatch(1).await(2, TimeUnit.MILLISECONDS);
                    now.decrementAndGet();
                    return Outcome.done();
                });
                oneroof.start();
            }
            one.jobs()
                    .enqueueAll(IntStream.range(0, 30)
                            .mapToObj(n -> NewJob.of("mark_file", Payload.EMPTY))
                            .toList());
            awaitEnded("succeeded", 30);
        }
        assertThat(seen).isSubsetOf(1, 2);
    }

    @Test
    void leasesNothingWhileTheGateIsClosedAndSaysSo() {
        database.run("UPDATE oneroof.dot_config SET value = 'false', actor = 'ann', reason = 'a look'"
                + " WHERE key = 'queue.jobs.enabled'");
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).each(job -> Outcome.done());
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            Await.patiently()
                    .until(
                            "the state",
                            () -> database.list(
                                    row -> row.getString(1) + " " + row.getString(2),
                                    "SELECT state, reason FROM oneroof.v_queue_health WHERE executor_name = 'jobs/one/0'"),
                            states -> states.equals(List.of("held gate queue.jobs.enabled is closed by ann: a look")));
            assertThat(count("job_queue")).isEqualTo(1);
            database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
            awaitEnded("succeeded", 1);
        }
    }

    @Test
    void beginsAJobForLaterWhenItsTimeHasCome() {
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).each(job -> Outcome.done());
            oneroof.start();
            oneroof.jobs()
                    .enqueue(NewJob.of("mark_file", Payload.EMPTY)
                            .notBefore(Instant.now().plusMillis(700)));
            awaitEnded("succeeded", 1);
        }
        assertThat(database.value(Boolean.class, "SELECT leased_at >= scheduled_at FROM oneroof.job_history"))
                .isTrue();
    }

    @Test
    void isWokenByAJobThatSomebodyElseEnqueues() {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.notify.bridge_enabled'");
        LoopConfig rare = new LoopConfig(
                Duration.ofSeconds(60), Duration.ofMillis(100), Duration.ofMinutes(5), Duration.ofSeconds(1));
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(rare), database.dataSource())) {
            oneroof.work(MARK).each(job -> Outcome.done());
            oneroof.start();
            Await.patiently()
                    .until(
                            "it to listen, and to have found nothing",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM oneroof.queue_heartbeat i JOIN oneroof.queue_heartbeat h"
                                                    + " ON h.executor_name = 'jobs/one/0' AND h.ticks_total > 0"
                                                    + " WHERE i.executor_name = 'instance/one'"
                                                    + " AND i.last_beat_payload ->> 'wake_ups' = 'listening'")
                                    == 1);
            Await.pause(Duration.ofSeconds(2));
            database.run("SELECT oneroof.fn_job_enqueue('mark_file')");
            awaitEnded("succeeded", 1);
            // In its own process without a word from the database.
            database.run("UPDATE oneroof.dot_config SET value = 'false' WHERE key = 'queue.notify.bridge_enabled'");
            Await.pause(Duration.ofSeconds(2));
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitEnded("succeeded", 2);
        }
    }

    @Test
    void refusesAHandlerThatIsInvalidOrASecondOneOfItsKind() {
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).each(job -> Outcome.done());
            assertThatThrownBy(() -> oneroof.work(MARK).each(job -> Outcome.done()))
                    .hasMessageContaining("kind: 'mark_file' has a handler in this instance already");
            assertThatThrownBy(() -> oneroof.work(JobKind.named("Bad")).each(job -> Outcome.done()))
                    .hasMessageContaining("kind: 'Bad' is not allowed");
            assertThatThrownBy(() ->
                            oneroof.work(JobKind.named("other")).atOnce(-1).each(job -> Outcome.done()))
                    .hasMessageContaining("at_once: '-1' is not allowed");
            assertThatThrownBy(() -> oneroof.jobs().enqueue(NewJob.of("nothing", Payload.EMPTY)))
                    .isInstanceOf(OneRoofException.class)
                    .hasMessageContaining("job 1: kind 'nothing' is not registered");
        }
    }

    @Test
    void runsJobsOfAKindThatIsAddedAfterTheStart() {
        Set<String> done = ConcurrentHashMap.newKeySet();
        try (OneRoof oneroof = open("one")) {
            oneroof.work(MARK).each(job -> Outcome.done());
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitEnded("succeeded", 1);
            JobKind late = JobKind.named("late");
            new Jobs(oneroof.database()).register(late, "test");
            oneroof.jobs().enqueue(NewJob.of("late", Payload.of(Map.of("no", 1))));

            oneroof.work(late).each(job -> {
                done.add(job.payload());
                return Outcome.done();
            });
            awaitEnded("succeeded", 2);
            oneroof.jobs().enqueue(NewJob.of("late", Payload.of(Map.of("no", 2))));
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            awaitEnded("succeeded", 4);

            assertThatThrownBy(() -> oneroof.work(late).each(job -> Outcome.done()))
                    .hasMessageContaining("kind: 'late' has a handler in this instance already");
        }
        assertThat(done).containsExactlyInAnyOrder("{\"no\": 1}", "{\"no\": 2}");
    }

    @Test
    void runsJobsOfAKindThatIsAddedToAnInstanceThatStartedWithoutAny() {
        AtomicInteger done = new AtomicInteger();
        try (OneRoof oneroof = open("one")) {
            oneroof.start();
            oneroof.work(MARK).each(job -> {
                done.incrementAndGet();
                return Outcome.done();
            });
            oneroof.work(JobKind.named("second")).eachInTx((tx, job) -> {
                done.incrementAndGet();
                return Outcome.done();
            });
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));
            oneroof.jobs().enqueue(NewJob.of("second", Payload.EMPTY));
            awaitEnded("succeeded", 2);

            assertThatThrownBy(() -> oneroof.work(MARK).each(job -> Outcome.done()))
                    .hasMessageContaining("kind: 'mark_file' has a handler in this instance already");
        }
        assertThat(done).hasValue(2);
        assertThat(count("job_queue")).isZero();
    }

    private OneRoof open(String name) {
        return OneRoof.open(RuntimeConfig.named(name).withLoop(QUICK), database.dataSource());
    }

    private void awaitEnded(String state, long count) {
        Await.patiently()
                .until(
                        count + " " + state,
                        () -> database.value(
                                Long.class,
                                "SELECT count(*) FROM oneroof.job_history WHERE state = '%s'".formatted(state)),
                        ended -> ended == count);
    }

    private long count(String table) {
        return database.value(Long.class, "SELECT count(*) FROM oneroof." + table);
    }
}
