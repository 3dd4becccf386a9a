package dev.oneroof.core.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.tail.Cursors;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Running workers: the one that hangs is told of, those that wait for good reasons are not. */
@OneRoofTest
class SilentWorkerTest {
    private static final TailSource BIRTHS = TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
            .timedBy("born_at", TimeType.TIMESTAMPTZ)
            .polledEvery(Duration.ofMillis(20));

    /** By hand for longer: every check takes some two seconds. */
    private static final int CHECKS = Integer.getInteger("oneroof.test.quiet-checks", 5);

    private static final LoopConfig QUICK = new LoopConfig(
            Duration.ofSeconds(3),
            Duration.ofMillis(100),
            Duration.ofMillis(100),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2));

    /** Acceptance test 5 of the cursor family: stop a worker, cursor_silent_gap comes within the threshold; restart clears it. */
    @Test
    void tellsOfAHandlerThatNeverReturnsAndClearsItWhenItDoes(TestDatabase database, Given given) {
        given.births(5);
        threshold(database, 4);
        CountDownLatch hanging = new CountDownLatch(1);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.register(BIRTHS);
            oneroof.tail("hangs", "births").eachRow((tx, row) -> hanging.await());
            oneroof.start();

            awaitState(database, "hangs/births/0", "stuck");
            Await.patiently().until("the finding", () -> open(database, "hangs/births/0") == 1);
            assertThat(events(database, "hangs/births/0")).isEqualTo(1);
            assertThat(state(database, "hangs/births/0")).isIn("silent", "dead");

            hanging.countDown();

            awaitState(database, "hangs/births/0", "quiet");
            assertThat(open(database, "hangs/births/0")).isZero();
            assertThat(database.value(
                            Long.class,
                            "SELECT count(*) FROM oneroof.queue_event_log WHERE executor_name = 'hangs/births/0'"
                                    + " AND transition = 'stale_to_fresh' AND gap_seconds > 4"))
                    .isEqualTo(1);
        } finally {
            hanging.countDown();
        }
    }

    @Test
    void tellsOfAJobWhoseHandlerNeverReturnsAndClearsItWhenItDoes(TestDatabase database) {
        threshold(database, 4);
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
        CountDownLatch hanging = new CountDownLatch(1);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.work(JobKind.named("mark_file").doneWithin(Duration.ofSeconds(1)))
                    .each(job -> {
                        while (hanging.getCount() > 0) {
                            LockSupport.parkNanos(1_000_000);
                        }
                        return Outcome.done();
                    });
            oneroof.start();
            oneroof.jobs().enqueue(NewJob.of("mark_file", Payload.EMPTY));

            awaitState(database, "jobs/one/0", "stuck");
            Await.patiently().until("the finding", () -> open(database, "jobs/one/0") == 1);
            assertThat(events(database, "jobs/one/0")).isEqualTo(1);
            assertThat(database.value(
                            String.class,
                            "SELECT reason FROM oneroof.v_queue_health WHERE executor_name = 'jobs/one/0'"))
                    .startsWith("no beat for ")
                    .contains(": the handler of mark_file ");

            hanging.countDown();

            awaitState(database, "jobs/one/0", "quiet");
            assertThat(open(database, "jobs/one/0")).isZero();
        } finally {
            hanging.countDown();
        }
    }

    @Test
    void neverTellsOfThoseThatAreQuietPausedOrBehindAGate(TestDatabase database, Given given) {
        given.births(5);
        threshold(database, 5);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.register(BIRTHS);
            oneroof.tail("quiet", "births").eachRow((tx, row) -> {});
            oneroof.tail("paused", "births").eachRow((tx, row) -> {});
            oneroof.tail("gated", "births")
                    .gatedBy("governance.gov_backfill_sweep.enabled")
                    .eachRow((tx, row) -> {});
            oneroof.start();
            awaitState(database, "paused/births/0", "quiet");
            database.run("INSERT INTO oneroof.worker_pause (executor_name, actor, reason)"
                    + " VALUES ('paused/births/0', 'ann', 'a look')");

            awaitState(database, "quiet/births/0", "quiet");
            awaitState(database, "paused/births/0", "held");
            awaitState(database, "gated/births/0", "held");
            long checks = checks(database);
            Await.upTo(Duration.ofSeconds(20).plusSeconds(4L * CHECKS))
                    .until("so many more checks", () -> checks(database) > checks + CHECKS);
        }

        assertThat(database.value(
                        Long.class,
                        "SELECT count(*) FROM oneroof.system_issues WHERE issue_type = 'cursor_silent_gap'"))
                .isZero();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.event_outbox"))
                .isZero();
    }

    @Test
    void tellsOfAPauseThatComesDuringALongRest(TestDatabase database, Given given) {
        given.birthRegistry();
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.register(BIRTHS.polledEvery(Duration.ofHours(1)));
            oneroof.tail("resting", "births").eachRow((tx, row) -> {});
            oneroof.start();
            awaitState(database, "resting/births/0", "quiet");

            new Cursors(oneroof.database())
                    .pause(Scope.of("resting", "births"), new OperatorAct("ann", "a look"), null);

            awaitState(database, "resting/births/0", "held");
        }
    }

    /** It never had a pass: what it cannot do is told all the same. */
    @Test
    void tellsOfAWorkerThatCannotEvenBegin(TestDatabase database) {
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.tail("lost", "nowhere").eachRow((tx, row) -> {});
            oneroof.start();

            awaitReason(database, "lost/nowhere/0", "nowhere");
        }
    }

    @Test
    void goesOnAfterAnErrorOfItsHandlerAndTellsOfIt(TestDatabase database, Given given) {
        given.births(3);
        AtomicBoolean broken = new AtomicBoolean(true);
        AtomicInteger handled = new AtomicInteger();
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.register(BIRTHS);
            oneroof.tail("reader", "births").eachRow((tx, row) -> {
                if (broken.get()) {
                    throw new NoClassDefFoundError("no/such/Type");
                }
                handled.incrementAndGet();
            });
            oneroof.start();
            awaitReason(database, "reader/births/0", "no/such/Type");

            broken.set(false);

            Await.patiently().until("all rows", () -> handled.get() == 3);
        }
    }

    @Test
    void goesOnAfterAHandlerThatLeavesAnInterruptBehind(TestDatabase database, Given given) {
        given.births(3);
        AtomicInteger handled = new AtomicInteger();
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.register(BIRTHS);
            oneroof.tail("reader", "births").eachRow((tx, row) -> {
                handled.incrementAndGet();
                Thread.currentThread().interrupt();
            });
            oneroof.start();
            Await.patiently().until("the first rows", () -> handled.get() >= 3);
            int before = handled.get();

            given.births(3);

            Await.patiently().until("the next rows", () -> handled.get() >= before + 3);
        }
    }

    /** A statement of ours fails behind the handler, with a code that would be the row's, had the handler raised it. */
    @Test
    void tellsOfAFaultOfOurOwnAndBlamesNoRow(TestDatabase database, Given given) {
        given.births(3);
        database.run("CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'a fault of our own'; END $$");
        database.run("CREATE TRIGGER fault BEFORE UPDATE OF settled_id ON oneroof.gov_worker_cursor"
                + " FOR EACH ROW EXECUTE FUNCTION public.fault()");
        database.run("CREATE TABLE public.seen (id bigint)");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource())) {
            oneroof.register(BIRTHS);
            oneroof.tail("reader", "births")
                    .eachRow((tx, row) -> tx.update("INSERT INTO public.seen VALUES (:id)")
                            .bind("id", row.number("id"))
                            .execute());
            oneroof.start();

            awaitReason(database, "reader/births/0", "a fault of our own");
            awaitState(database, "reader/births/0", "stuck");
            assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.event_pending"))
                    .isZero();

            database.run("DROP TRIGGER fault ON oneroof.gov_worker_cursor");

            Await.patiently()
                    .until("the rows", () -> database.value(Long.class, "SELECT count(*) FROM public.seen") == 3);
            awaitState(database, "reader/births/0", "quiet");
            assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.event_pending"))
                    .isZero();
        }
    }

    private static void awaitReason(TestDatabase database, String executor, String part) {
        Await.patiently()
                .until(
                        executor + " to tell of " + part,
                        () -> database
                                .list(
                                        row -> row.getString(1),
                                        "SELECT last_beat_payload ->> 'reason' FROM oneroof.queue_heartbeat"
                                                + " WHERE executor_name = ? AND last_beat_payload ->> 'doing' = 'failing'",
                                        executor)
                                .stream()
                                .anyMatch(reason -> reason.contains(part)));
    }

    private static long checks(TestDatabase database) {
        return database.value(
                Long.class,
                "SELECT ticks_total FROM oneroof.queue_heartbeat WHERE executor_name = 'stale_check/queue_heartbeat/0'");
    }

    private static void threshold(TestDatabase database, int seconds) {
        database.run("UPDATE oneroof.dot_config SET value = '%d' WHERE key = 'queue.heartbeat.stale_threshold_seconds'"
                .formatted(seconds));
    }

    private static void awaitState(TestDatabase database, String executor, String state) {
        // Not before it has said so itself: one that was just registered has done nothing yet.
        Await.patiently()
                .until(
                        executor + " " + state,
                        () -> state.equals(state(database, executor))
                                && database.value(
                                        Boolean.class,
                                        "SELECT ticks_total > 0 FROM oneroof.queue_heartbeat WHERE executor_name = ?",
                                        executor));
    }

    private static String state(TestDatabase database, String executor) {
        return database
                .list(
                        row -> row.getString(1),
                        "SELECT state FROM oneroof.v_queue_health WHERE source = 'heartbeat' AND executor_name = '%s'"
                                .formatted(executor))
                .stream()
                .findFirst()
                .orElse("");
    }

    private static long open(TestDatabase database, String executor) {
        return database.value(
                Long.class,
                "SELECT count(*) FROM oneroof.system_issues WHERE issue_type = 'cursor_silent_gap' AND status = 'open'"
                        + " AND coalesce_key = '%s'".formatted(executor));
    }

    private static long events(TestDatabase database, String executor) {
        return database.value(
                Long.class,
                "SELECT count(*) FROM oneroof.event_outbox WHERE event_type = 'queue_worker_silent'"
                        + " AND event_severity = 'warning' AND event_subject_ref = '%s'".formatted(executor));
    }
}
