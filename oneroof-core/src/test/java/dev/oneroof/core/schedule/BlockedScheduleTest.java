package dev.oneroof.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.worker.JobKeeper;
import dev.oneroof.core.lease.Epoch;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Schedules that cannot be fired at present because of a lock: they wait, and hold up no other. */
@OneRoofTest
class BlockedScheduleTest {
    private TestDatabase database;
    private Schedules schedules;

    @BeforeEach
    void begin(TestDatabase given) {
        database = given;
        Database db = new Database(given.dataSource(), SchemaName.DEFAULT);
        schedules = new Schedules(db);
        new Jobs(db).register(JobKind.named("mark_file"), "test");
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.jobs.enabled'");
    }

    /** A transaction has leased the jobs of two schedules without overlap, and does not commit. */
    @Test
    void keepsNoOtherFromItsTimeAndNoLeaseFromBeingTakenBack() {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        JobKeeper keeper = new JobKeeper(db, new ScheduleFirer(db, new Jobs(db)));
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_priority => 100)");
        database.run("SELECT oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'psql')");
        due(alone("first"), 40);
        due(alone("second"), 30);
        database.run("SELECT oneroof.fn_job_enqueue('mark_file', p_idempotency_key => 'schedule:' || n)"
                + " FROM unnest(ARRAY['first', 'second']) n");
        try (Sql other = database.sql()) {
            other.run("BEGIN");
            other.run("SELECT * FROM oneroof.fn_job_lease(ARRAY['mark_file'], 2, 'psql')");
            due(steady("free"), 20);
            CompletableFuture<Void> kept = CompletableFuture.runAsync(() -> passes(keeper, 6));
            Await.upTo(Duration.ofSeconds(8)).until("the job of the other", () -> jobsOf("free") == 1);
            kept.join();
            database.run("UPDATE oneroof.job_queue SET lease_until = now() - interval '1 second'"
                    + " WHERE state = 'leased' AND idempotency_key IS NULL");
            CompletableFuture.runAsync(() -> passes(keeper, 1)).join();
            assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.job_queue WHERE attempts = 1"))
                    .as("the lease that ran out")
                    .isOne();
            assertThat(stopped()).isEmpty();
            assertThat(schedules.show("first").overlapped()).isZero();
            other.run("ROLLBACK");
        }

        Await.patiently().until("both to be fired", () -> {
            passes(keeper, 1);
            return schedules.show("first").overlapped() == 1
                    && schedules.show("second").overlapped() == 1;
        });
        assertThat(stopped()).isEmpty();
    }

    @Test
    void isNotStoppedByATimeout() {
        database.run("ALTER DATABASE \"%s\" SET statement_timeout = '150ms'".formatted(database.name()));
        Database hasty = new Database(database.dataSource("hasty"), SchemaName.DEFAULT);
        ScheduleFirer firing = new ScheduleFirer(hasty, new Jobs(hasty));
        due(alone("tick"), 10);
        try (Sql other = database.sql()) {
            other.run("SET statement_timeout = 0");
            other.run("SELECT oneroof.fn_job_enqueue('mark_file', p_idempotency_key => 'schedule:tick')");
            other.run("BEGIN");
            other.run("SELECT * FROM oneroof.fn_job_lease(ARRAY['mark_file'], 1, 'psql')");
            for (int pass = 0; pass < 3; pass++) {
                assertThat(firing.run()).isNotNull();
            }
            assertThat(stopped()).isEmpty();
            other.run("ROLLBACK");
        }
        Await.patiently().until("it to be fired", () -> {
            firing.run();
            return schedules.show("tick").overlapped() == 1;
        });
    }

    /** An unknown error does not stop a schedule; one that the database rejects is stopped. */
    @Test
    void isStoppedOnlyForWhatItIs() {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        ScheduleFirer firing = new ScheduleFirer(db, new Jobs(db));
        database.run("""
                CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.idempotency_key LIKE 'schedule:odd%' THEN
                        RAISE EXCEPTION USING ERRCODE = '0A000', MESSAGE = 'not today';
                    ELSIF NEW.idempotency_key LIKE 'schedule:bad%' THEN
                        RAISE EXCEPTION USING ERRCODE = '23514', MESSAGE = 'never';
                    END IF;
                    RETURN NEW;
                END $$
                """);
        database.run("CREATE TRIGGER refuse BEFORE INSERT ON oneroof.job_queue"
                + " FOR EACH ROW EXECUTE FUNCTION public.refuse()");
        due(steady("odd"), 30);
        due(steady("bad"), 20);
        due(steady("free"), 10);

        for (int pass = 0; pass < 6; pass++) {
            firing.run();
        }

        assertThat(jobsOf("free")).isOne();
        assertThat(stopped()).containsExactly("bad");
        database.run("DROP TRIGGER refuse ON oneroof.job_queue");
        Await.patiently().until("it to be fired", () -> {
            firing.run();
            return jobsOf("odd") == 1;
        });
    }

    private static void passes(JobKeeper keeper, int count) {
        for (int pass = 0; pass < count; pass++) {
            keeper.runOnce(new Lease(keeper.spec().scope(), "one", new Epoch(1), Duration.ofSeconds(30)));
        }
    }

    private static Schedule steady(String name) {
        return Schedule.of(name, "mark_file", new FixedInterval(Duration.ofHours(1), null));
    }

    private static Schedule alone(String name) {
        return steady(name).withoutOverlap();
    }

    private void due(Schedule schedule, int secondsAgo) {
        schedules.add(schedule, "test");
        database.run(
                "UPDATE oneroof.job_schedule SET next_due_at = now() - make_interval(secs => ?),"
                        + " first_due_at = now() - make_interval(secs => ?) WHERE schedule_name = ?",
                secondsAgo,
                secondsAgo,
                schedule.name());
    }

    private long jobsOf(String name) {
        return database.value(
                Long.class,
                "SELECT count(*) FROM oneroof.job_queue WHERE idempotency_key LIKE 'schedule:' || ? || ':%'",
                name);
    }

    private List<String> stopped() {
        return database.list(
                row -> row.getString(1), "SELECT schedule_name FROM oneroof.job_schedule WHERE paused_at IS NOT NULL");
    }
}
