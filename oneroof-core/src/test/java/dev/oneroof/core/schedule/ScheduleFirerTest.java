package dev.oneroof.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OneRoofTest
class ScheduleFirerTest {
    private static final OperatorAct BY = new OperatorAct("somebody", "a test");
    private static final String BERLIN = "Europe/Berlin";

    private TestDatabase database;
    private Database db;
    private Schedules schedules;
    private ScheduleFirer firing;

    @BeforeEach
    void begin(TestDatabase given) {
        database = given;
        db = new Database(given.dataSource(), SchemaName.DEFAULT);
        schedules = new Schedules(db);
        Jobs jobs = new Jobs(db);
        jobs.register(JobKind.named("mark_file"), "test");
        firing = new ScheduleFirer(db, jobs);
    }

    @Test
    void enqueuesAJobAtItsTimeAndKnowsTheNext() throws Exception {
        add(steady("tick", 60)
                .with(new Payload("{\"file_id\": 7}"))
                .withPriority(3)
                .triedUpTo(2));
        lastRan("tick", "now() - interval '5 seconds'");

        assertThat(firing.run()).isLessThanOrEqualTo(Duration.ofSeconds(1));

        assertThat(strings("""
                        SELECT concat_ws(' ', job_kind, state, priority, max_attempts, payload,
                            scheduled_at = (SELECT last_due_at FROM oneroof.job_schedule),
                            idempotency_key LIKE 'schedule:tick:2%')
                        FROM oneroof.job_queue
                        """)).containsExactly("mark_file queued 3 2 {\"file_id\": 7} t t");
        ScheduleView known = schedules.show("tick");
        assertThat(known.fired()).isOne();
        assertThat(known.missed()).isZero();
        assertThat(known.nextDueAt())
                .isEqualTo(Objects.requireNonNull(known.lastDueAt()).plusSeconds(60));
        assertThat(known.lastJob())
                .isEqualTo(database.value(String.class, "SELECT job_id::text FROM oneroof.job_queue"));
        firing.run();
        assertThat(jobsOf("tick")).hasSize(1);
    }

    @Test
    void firesEachTimeOnceOverBothChangesOfTheClockThoughManyTry() throws Exception {
        add(Schedule.of("spring", "mark_file", CronExpression.of("30 2 * * *", BERLIN))
                .catchingUp(CatchUp.ALL));
        add(Schedule.of("hours", "mark_file", CronExpression.of("0 * 25-27 10 *", BERLIN))
                .catchingUp(CatchUp.ALL));
        due("spring", "2025-03-20T01:30:00Z");
        due("hours", "2025-10-24T22:00:00Z");

        atOnce(3, () -> {
            ScheduleFirer another = new ScheduleFirer(db, new Jobs(db));
            while (another.run().isZero()) {
                // until nothing is left
            }
            return null;
        });
        firing.run();

        for (String name : List.of("spring", "hours")) {
            // A second firing of a time would find the key of the first, and be counted.
            assertThat(schedules.show(name).overlapped()).isZero();
            assertThat(schedules.show(name).fired()).isEqualTo(jobsOf(name).size());
        }
        assertThat(jobsOf("spring")).isEqualTo(timesUntil("30 2 * * *", "2025-03-20T01:00:00Z", last("spring")));
        assertThat(jobsOf("hours")).isEqualTo(timesUntil("0 * 25-27 10 *", "2025-10-24T21:30:00Z", last("hours")));
        assertThat(jobsOf("spring")).contains("2025-03-30T01:00:00Z", "2025-10-26T00:30:00Z");
        assertThat(jobsOf("hours")).contains("2025-10-26T00:00:00Z", "2025-10-26T01:00:00Z", "2025-10-26T02:00:00Z");
        assertThat(schedules.show("hours").nextDueAt())
                .isEqualTo(CronExpression.of("0 * 25-27 10 *", BERLIN)
                        .next(last("hours"))
                        .orElseThrow());
    }

    @Test
    void firesNothingWhileSomebodyElseDoes() throws Exception {
        add(steady("tick", 60));
        lastRan("tick", "now()");
        try (Connection other = database.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT * FROM oneroof.fn_job_schedule_due(10)");

            firing.run();
            assertThat(jobsOf("tick")).isEmpty();

            // It dies: nothing was committed, and the next one fires.
            other.rollback();
        }
        firing.run();
        assertThat(jobsOf("tick")).hasSize(1);
    }

    @Test
    void doesNotEnqueueWhileTheOneBeforeIsAlive() throws Exception {
        add(steady("tick", 60).withoutOverlap());
        lastRan("tick", "now() - interval '1 minute'");
        firing.run();
        lastRan("tick", "now()");
        firing.run();

        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue"))
                .isOne();
        assertThat(schedules.show("tick").fired()).isOne();
        assertThat(schedules.show("tick").overlapped()).isOne();
    }

    @Test
    void pausedItFiresNothingAndMakesNothingUp() throws Exception {
        add(steady("tick", 60).catchingUp(CatchUp.ALL));
        lastRan("tick", "now() - interval '1 hour'");
        assertThat(schedules.pause("tick", BY)).isTrue();
        assertThat(schedules.pause("tick", BY)).isFalse();

        firing.run();
        assertThat(jobsOf("tick")).isEmpty();

        assertThat(schedules.resume("tick", BY)).isTrue();
        assertThat(schedules.resume("tick", BY)).isFalse();
        firing.run();
        assertThat(jobsOf("tick")).isEmpty();
        assertThat(schedules.show("tick").nextDueAt()).isAfter(Instant.now());
        assertThat(
                        strings(
                                "SELECT act || ' by ' || actor || ': ' || reason FROM oneroof.operator_act WHERE act LIKE 'job_schedule_%' ORDER BY act_id"))
                .containsExactly(
                        "job_schedule_put by test: added",
                        "job_schedule_pause by somebody: a test",
                        "job_schedule_resume by somebody: a test");
    }

    @Test
    void oneThatCannotBeFiredIsPausedAndKeepsNoOtherFromIt() throws Exception {
        add(steady("bad", 60));
        add(steady("good", 60));
        database.run(
                "UPDATE oneroof.job_schedule SET cron = '0 0 * * 5#', time_zone = 'UTC', every_seconds = NULL, first_due_at = NULL WHERE schedule_name = 'bad'");
        lastRan("bad", "now() - interval '2 minutes'");
        lastRan("good", "now() - interval '1 minute'");

        while (firing.run().isZero()) {
            // until nothing is left
        }

        assertThat(jobsOf("good")).hasSize(1);
        assertThat(schedules.show("bad").pause()).isNotNull();
        assertThat(Objects.requireNonNull(schedules.show("bad").pause()).reason())
                .startsWith("it cannot be fired: cron: '0 0 * * 5#'");
    }

    @Test
    void aTimeThatWasFiredIsNotSetAgainByWhoReplacesOrResumes() throws Exception {
        add(steady("tick", 60));
        lastRan("tick", "now()");
        firing.run();
        String fired = "(SELECT last_due_at FROM oneroof.job_schedule)";

        assertThatThrownBy(() ->
                        database.run("SELECT oneroof.fn_job_schedule_put('tick', 'mark_file', NULL, NULL, 90, NULL, "
                                + fired + ", p_replace => true)"))
                .hasMessageContaining("was fired just now");
        schedules.pause("tick", BY);
        assertThatThrownBy(() -> database.run("SELECT oneroof.fn_job_schedule_resume('tick', " + fired + ", 'a test')"))
                .hasMessageContaining("was fired for a later time");
        assertThatThrownBy(() -> database.run("SELECT oneroof.fn_job_schedule_resume('tick', '-infinity', 'a test')"))
                .hasMessageContaining("next_due_at: '-infinity' is not allowed");
        assertThat(schedules.resume("tick", BY)).isTrue();
    }

    @Test
    void restsWhileSomebodyElseHasWhatIsDue() throws Exception {
        add(steady("tick", 60));
        lastRan("tick", "now()");
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT * FROM oneroof.fn_job_schedule_due(10)");
            assertThat(firing.run()).isPositive();
            other.rollback();
        }
    }

    @Test
    void theSameAgainKeepsTheNextTimeAndAnotherIsRefusedUnlessItReplaces() throws Exception {
        assertThat(add(steady("tick", 60))).isEqualTo(Schedules.Put.ADDED);
        lastRan("tick", "now() - interval '1 day'");
        Instant next = schedules.show("tick").nextDueAt();

        assertThat(add(steady("tick", 60))).isEqualTo(Schedules.Put.SAME);
        assertThat(schedules.show("tick").nextDueAt()).isEqualTo(next);
        assertThatThrownBy(() -> add(steady("tick", 90).withPriority(1)))
                .isInstanceOf(OneRoofException.class)
                .hasMessage(
                        "schedule: 'tick' exists with another definition (every is 60 s, priority is 0); allowed is the same, or to replace it");
        assertThat(schedules.replace(steady("tick", 60).withPriority(1), "test"))
                .isEqualTo(Schedules.Put.CHANGED);
        assertThat(schedules.show("tick").nextDueAt()).isEqualTo(next);
        assertThat(schedules.replace(steady("tick", 90).withPriority(1), "test"))
                .isEqualTo(Schedules.Put.CHANGED);
        assertThat(schedules.show("tick").nextDueAt()).isAfter(Instant.now());
    }

    @Test
    void refusesWhatIsNoSchedule() {
        assertRefused(steady("No", 60), "name: 'No' is not allowed");
        assertRefused(steady("x".repeat(101), 60), "name: 'xxx");
        assertRefused(
                Schedule.of("tick", "nobody", new FixedInterval(Duration.ofSeconds(5), null)),
                "kind: 'nobody' is not registered");
        assertRefused(steady("tick", 60).withPriority(-1), "priority: '-1' is not allowed; allowed are 0 to 100");
        assertRefused(steady("tick", 60).triedUpTo(0), "max_attempts: '0' is not allowed");
        assertRefused(
                steady("tick", 60).with(new Payload("{\"a\": {\"body\": \"text\"}}")),
                "payload: that of 'tick' is no signal: its key 'a.body' is one of ");
        assertRefused(steady("tick", 60).with(new Payload("[1]")), "payload: that of 'tick' is no signal");
        assertThatThrownBy(() -> new Payload("{")).hasMessageStartingWith("payload: it is no JSON");
        assertRefused(steady("ti\0ck", 60), "");
        assertThatThrownBy(() -> schedules.pause("nobody", BY)).hasMessage("schedule: there is no 'nobody'");
        assertThatThrownBy(() -> schedules.resume("nobody", BY)).hasMessage("schedule: there is no 'nobody'");
        assertThatThrownBy(() -> schedules.remove("nobody", BY)).hasMessage("schedule: there is no 'nobody'");
        assertThat(schedules.list()).isEmpty();
    }

    @Test
    void removedItIsGoneAndItsJobsStay() throws Exception {
        add(steady("tick", 60));
        lastRan("tick", "now()");
        firing.run();

        schedules.remove("tick", BY);

        assertThat(schedules.list()).isEmpty();
        assertThat(jobsOf("tick")).hasSize(1);
    }

    @Test
    void aNextTimeThatIsNotLaterIsRefused() {
        add(steady("tick", 60));

        assertThatThrownBy(
                        () -> database.run(
                                "SELECT oneroof.fn_job_schedule_fired(ARRAY['tick'], ARRAY[now() - interval '1 hour'], ARRAY[now()], ARRAY[NULL::uuid], ARRAY[1], ARRAY[0], ARRAY[0])"))
                .hasMessageContaining("next_due_at: that of 'tick' is not allowed");
    }

    private List<String> strings(String query) {
        return database.list(row -> row.getString(1), query);
    }

    private Schedules.Put add(Schedule schedule) {
        return schedules.add(schedule, "test");
    }

    private static Schedule steady(String name, int seconds) {
        return Schedule.of(name, "mark_file", new FixedInterval(Duration.ofSeconds(seconds), null));
    }

    private void assertRefused(Schedule schedule, String why) {
        assertThatThrownBy(() -> add(schedule))
                .isInstanceOf(OneRoofException.class)
                .hasMessageContaining(why);
    }

    /** As if it had last run one distance before this time. */
    private void lastRan(String name, String due) throws Exception {
        database.run(
                "UPDATE oneroof.job_schedule SET next_due_at = %1$s, first_due_at = CASE WHEN every_seconds IS NOT NULL THEN %1$s END WHERE schedule_name = '%2$s'"
                        .formatted(due, name));
    }

    private void due(String name, String time) throws Exception {
        database.run(
                "UPDATE oneroof.job_schedule SET next_due_at = '%s' WHERE schedule_name = '%s'".formatted(time, name));
    }

    private List<String> jobsOf(String schedule) throws Exception {
        return strings(
                "SELECT substr(idempotency_key, length('schedule:%1$s:') + 1) FROM oneroof.job_queue WHERE idempotency_key LIKE 'schedule:%1$s:%%' ORDER BY scheduled_at"
                        .formatted(schedule));
    }

    /** The last time that was fired. Not the time now: the next one may have become due meanwhile. */
    private Instant last(String schedule) {
        return Objects.requireNonNull(schedules.show(schedule).lastDueAt());
    }

    private static List<String> timesUntil(String cron, String after, Instant last) {
        List<String> times = new ArrayList<>();
        CronExpression table = CronExpression.of(cron, BERLIN);
        Optional<Instant> time = table.next(Instant.parse(after));
        while (time.isPresent() && !time.get().isAfter(last)) {
            times.add(time.get().toString());
            time = table.next(time.get());
        }
        return times;
    }

    private static void atOnce(int threads, Callable<Void> work) throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (Future<Void> done : pool.invokeAll(Collections.nCopies(threads, work))) {
                done.get();
            }
        }
    }
}
