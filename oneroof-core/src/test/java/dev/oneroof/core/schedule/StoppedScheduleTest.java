package dev.oneroof.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Schedules that are not fired, and what lets them go on. */
@OneRoofTest
class StoppedScheduleTest {
    private static final OperatorAct ANN = new OperatorAct("ann", "a look");
    private static final CronExpression NEW_YEAR = CronExpression.of("0 0 1 1 *", "UTC");

    private TestDatabase database;
    private Schedules schedules;
    private ScheduleFirer firing;

    @BeforeEach
    void begin(TestDatabase given) {
        database = given;
        Database db = new Database(given.dataSource(), SchemaName.DEFAULT);
        schedules = new Schedules(db);
        Jobs jobs = new Jobs(db);
        jobs.register(JobKind.named("mark_file").in("cut"), "test");
        firing = new ScheduleFirer(db, jobs);
    }

    @Test
    void isRaisedAndSeenInThePane() {
        stopped("bad");

        assertThat(findings()).containsExactly("job_schedule_stopped schedules/bad high");
        assertThat(strings("SELECT summary FROM oneroof.system_issues").getFirst())
                .startsWith("schedule 'bad' is paused: it cannot be fired: cron: '0 0 * * 5#'");
        assertThat(strings("SELECT evidence - 'due_at' FROM oneroof.system_issues"))
                .containsExactly("{\"job_kind\": \"mark_file\", \"schedule\": \"bad\"}");
        assertThat(strings("SELECT concat_ws(' ', subject, domain, status_hint, state, left(reason, 25))"
                        + " FROM oneroof.v_queue_health WHERE source = 'schedule'"))
                .containsExactly("bad cut open stuck it cannot be fired: cron:");
        assertThat(strings("SELECT act FROM oneroof.operator_act WHERE actor = 'job_keeper'"))
                .containsExactly("job_schedule_stop");
    }

    @Test
    void theFindingEndsWhenItGoesOnIsReplacedOrRemoved() {
        stopped("resumed");
        stopped("replaced");
        stopped("removed");
        assertThat(findings()).hasSize(3);

        recurrence("resumed", "@daily");
        assertThat(schedules.resume("resumed", ANN)).isTrue();
        assertThat(findings())
                .containsExactly(
                        "job_schedule_stopped schedules/removed high", "job_schedule_stopped schedules/replaced high");
        schedules.remove("removed", ANN);
        assertThat(findings()).containsExactly("job_schedule_stopped schedules/replaced high");
        schedules.replace(Schedule.of("replaced", "mark_file", NEW_YEAR), "test");
        assertThat(findings()).isEmpty();
    }

    @Test
    void anotherDefinitionLetsItGoOnAndMakesNothingUp() {
        stopped("bad");

        assertThat(schedules.replace(
                        Schedule.of("bad", "mark_file", new FixedInterval(Duration.ofHours(1), null))
                                .catchingUp(CatchUp.ALL),
                        "test"))
                .isEqualTo(Schedules.Put.CHANGED);

        assertThat(schedules.show("bad").pause()).isNull();
        assertThat(schedules.show("bad").nextDueAt()).isAfter(Instant.now());
        firing.run();
        assertThat(strings("SELECT job_kind FROM oneroof.job_queue")).isEmpty();
    }

    @Test
    void onlyThatWhichWasStopped() {
        schedules.add(Schedule.of("mine", "mark_file", NEW_YEAR), "test");
        schedules.pause("mine", ANN);

        schedules.replace(Schedule.of("mine", "mark_file", NEW_YEAR).withPriority(3), "test");

        assertThat(schedules.show("mine").pause()).isNotNull();
        assertThat(findings()).as("an operator has paused it").isEmpty();
        assertThat(strings("SELECT concat_ws(' ', subject, state, reason) FROM oneroof.v_queue_health"
                        + " WHERE source = 'schedule'"))
                .containsExactly("mine held paused by ann: a look");
    }

    @Test
    void oneThatSomebodyPausesThenStaysSoWhateverItsDefinition() {
        stopped("bad");

        assertThat(schedules.pause("bad", ANN)).isTrue();

        assertThat(schedules.pause("bad", ANN)).as("it is already").isFalse();
        assertThat(findings()).as("an operator has paused it").isEmpty();
        assertThat(strings("SELECT actor || ' ' || reason FROM oneroof.operator_act WHERE act = 'job_schedule_pause'"))
                .containsExactly("ann a look");
        schedules.replace(Schedule.of("bad", "mark_file", NEW_YEAR).withPriority(3), "test");
        assertThat(schedules.show("bad").pause())
                .extracting(ScheduleView.Pause::actor, ScheduleView.Pause::reason, ScheduleView.Pause::stopped)
                .containsExactly("ann", "a look", false);
    }

    @Test
    void whatWasMendedMeanwhileIsNotStoppedForWhatItWas() {
        schedules.add(Schedule.of("tick", "mark_file", NEW_YEAR), "test");
        long tried = schedules.show("tick").version();
        schedules.replace(Schedule.of("tick", "mark_file", CronExpression.of("@daily", "UTC")), "test");

        assertThat(stop("tick", tried)).isFalse();
        schedules.remove("tick", ANN);
        schedules.add(Schedule.of("tick", "mark_file", NEW_YEAR), "test");
        assertThat(stop("tick", tried)).as("another one of the name").isFalse();
        assertThat(findings()).isEmpty();
        assertThat(stop("tick", schedules.show("tick").version())).isTrue();
        assertThat(stop("tick", schedules.show("tick").version()))
                .as("it is already")
                .isFalse();
    }

    /** The database may hold what the program refuses to read. */
    @Test
    void oneWhosePayloadCannotBeReadKeepsNoOtherFromItsTime() {
        schedules.add(Schedule.of("deep", "mark_file", NEW_YEAR), "test");
        schedules.add(Schedule.of("plain", "mark_file", NEW_YEAR), "test");
        database.run(
                "UPDATE oneroof.job_schedule SET payload = ?::jsonb WHERE schedule_name = 'deep'",
                "{\"a\": " + "[".repeat(100) + "]".repeat(100) + "}");
        database.run("UPDATE oneroof.job_schedule SET next_due_at = now() - interval '30 seconds'");

        while (firing.run().isZero()) {
            // until nothing is left
        }

        assertThat(strings("SELECT left(idempotency_key, 15) FROM oneroof.job_queue"))
                .containsExactly("schedule:plain:");
        assertThat(findings()).containsExactly("job_schedule_stopped schedules/deep high");
        assertThat(strings("SELECT summary FROM oneroof.system_issues").getFirst())
                .contains("payload: it is more than 100 levels deep");
    }

    /** The one that resumes has read the old recurrence, and waits for the row of which the other gives it a new one. */
    @Test
    void resumedWhileItIsReplacedItHasNoTimeOfTheOldRecurrence() {
        schedules.add(Schedule.of("tick", "mark_file", new FixedInterval(Duration.ofMinutes(1), null)), "test");
        schedules.pause("tick", ANN);
        CompletableFuture<Boolean> resumed;
        try (Sql other = database.sql()) {
            other.run("BEGIN");
            other.run(
                    "SELECT oneroof.fn_job_schedule_put('tick', 'mark_file', '0 0 1 1 *', 'UTC', NULL, NULL, ?::timestamptz, p_replace => true)",
                    NEW_YEAR.next(Instant.now()).orElseThrow().toString());
            resumed = CompletableFuture.supplyAsync(() -> schedules.resume("tick", ANN));
            Await.patiently()
                    .until(
                            "the one to wait for the other",
                            () -> database.inspect(sql -> sql.value(
                                    Boolean.class,
                                    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
                                            + " AND wait_event_type = 'Lock')")));
            other.run("COMMIT");
        }

        assertThat(resumed.join()).isTrue();
        assertThat(schedules.show("tick").nextDueAt())
                .isEqualTo(NEW_YEAR.next(Instant.now()).orElseThrow());
        assertThat(schedules.show("tick").pause()).isNull();
    }

    @Test
    void isTellableWhenNobodyFiresIt() {
        schedules.add(Schedule.of("late", "mark_file", NEW_YEAR), "test");
        schedules.add(Schedule.of("soon", "mark_file", NEW_YEAR), "test");
        database.run("UPDATE oneroof.job_schedule SET next_due_at = now() - interval '75 seconds'"
                + " WHERE schedule_name = 'late'");

        assertThat(strings("SELECT concat_ws(' ', subject, status_hint, state, reason) FROM oneroof.v_queue_health"
                        + " WHERE source = 'schedule'"))
                .singleElement()
                .asString()
                .matches("late stale behind due for 7\\d s, and not fired");
    }

    /** Ten thousand that are as they should be cost nothing. */
    @Test
    void theIndexAnswersThePaneAndThoseWhoFire() {
        database.run("INSERT INTO oneroof.job_schedule (schedule_name, job_kind, every_seconds, first_due_at, catch_up,"
                + " may_overlap, payload, priority, next_due_at, registered_by)"
                + " SELECT 's' || n, 'mark_file', 60, now(), 'last', true, '{}', 0, now() + interval '1 day', 'test'"
                + " FROM generate_series(1, 10000) n");
        database.run("ANALYZE oneroof.job_schedule");
        String pane = String.join(
                "\n", strings("EXPLAIN (COSTS OFF) SELECT * FROM oneroof.v_queue_health WHERE source = 'schedule'"));
        assertThat(pane)
                .contains("job_schedule_paused_idx", "job_schedule_due_idx")
                .contains("Index Cond: (next_due_at < (statement_timestamp()")
                .doesNotContain("Seq Scan on job_schedule");
        try (Sql sql = database.sql()) {
            sql.run("SELECT * FROM oneroof.fn_job_schedule_due()");
            String fires = String.join(
                    "\n",
                    sql.list(
                            row -> row.getString(1),
                            "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) SELECT * FROM oneroof.fn_job_schedule_due()"));
            assertThat(fires).containsPattern("Buffers: shared hit=\\d{1,2}\n");
        }
    }

    /** The example of the documentation, with no more rights than it says. */
    @Test
    void steadyOnesAreFiredBySqlAlone() throws Exception {
        String fire = Files.readString(Path.of(System.getProperty("oneroof.test.root"), "examples", "fire.sql"));
        try (Sql sql = database.sql()) {
            sql.run("SET ROLE workflow_admin");
            sql.run("SELECT oneroof.fn_job_schedule_put('tick', 'mark_file', NULL, NULL, 60, NULL,"
                    + " date_trunc('second', now()) - interval '150 seconds', p_payload => '{\"no\": 1}')");
            sql.run(
                    "SELECT oneroof.fn_job_schedule_put('alone', 'mark_file', NULL, NULL, 60, NULL, now(), p_may_overlap => false)");
            sql.run("SELECT oneroof.fn_job_enqueue('mark_file', p_idempotency_key => 'schedule:alone')");
            sql.run("SELECT oneroof.fn_job_schedule_put('nights', 'mark_file', '@daily', 'UTC', NULL, NULL, now())");
            sql.run(fire);
            sql.run(fire);
        }

        assertThat(strings("SELECT concat_ws(' ', schedule_name, fired, missed, overlapped, next_due_at > now(),"
                        + " extract(epoch FROM last_due_at - first_due_at)) FROM oneroof.job_schedule ORDER BY 1"))
                .containsExactly("alone 0 0 1 t 0.000000", "nights 0 0 0 f", "tick 1 2 0 t 120.000000");
        assertThat(strings("SELECT concat_ws(' ', q.payload, q.idempotency_key = 'schedule:tick:'"
                        + " || to_char(s.last_due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),"
                        + " q.scheduled_at = s.last_due_at, s.last_job_id = q.job_id)"
                        + " FROM oneroof.job_queue q, oneroof.job_schedule s"
                        + " WHERE s.schedule_name = 'tick' AND q.idempotency_key <> 'schedule:alone'"))
                .containsExactly("{\"no\": 1} t t t");
    }

    /** One that the keeper has found out that it cannot be fired. */
    private void stopped(String name) {
        schedules.add(Schedule.of(name, "mark_file", NEW_YEAR).catchingUp(CatchUp.ALL), "test");
        recurrence(name, "0 0 * * 5#");
        database.run(
                "UPDATE oneroof.job_schedule SET next_due_at = now() - interval '1 hour' WHERE schedule_name = ?",
                name);
        while (firing.run().isZero()) {
            // until nothing is left
        }
        assertThat(strings("SELECT pause_actor FROM oneroof.job_schedule WHERE is_stopped AND schedule_name = '%s'"
                        .formatted(name)))
                .containsExactly("job_keeper");
    }

    private void recurrence(String name, String cron) {
        database.run("UPDATE oneroof.job_schedule SET cron = ? WHERE schedule_name = ?", cron, name);
    }

    private boolean stop(String name, long version) {
        return database.value(
                Boolean.class,
                "SELECT oneroof.fn_job_schedule_stop(?, ?, 'it cannot be fired', 'test')",
                name,
                version);
    }

    private List<String> findings() {
        return strings("SELECT concat_ws(' ', issue_type, coalesce_key, severity) FROM oneroof.system_issues"
                + " WHERE status <> 'resolved' ORDER BY coalesce_key");
    }

    private List<String> strings(String query) {
        return database.list(row -> row.getString(1), query);
    }
}
