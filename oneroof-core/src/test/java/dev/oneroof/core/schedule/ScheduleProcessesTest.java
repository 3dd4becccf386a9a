package dev.oneroof.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Three processes; the one that fires is killed, the next one frozen. Every due time has its job once: those of a year with
 * both changes of the clock, which are made up for, and those that come meanwhile, every second.
 */
@OneRoofTest
class ScheduleProcessesTest {
    private static final Map<String, CronExpression> CRONS = Map.of(
            "nights", CronExpression.of("30 2 * * *", "Europe/Berlin"),
            "hours", CronExpression.of("0 * 25-30 3,10 *", "Europe/Berlin"),
            "seconds", CronExpression.of("* * * * * *", "Europe/Berlin"));

    @Test
    void aCronFiresOncePerDueTimeOverThreeProcessesAndBothChangesOfTheClock(TestDatabase database) {
        Schedules schedules = new Schedules(new Database(database.dataSource(), SchemaName.DEFAULT));
        new Jobs(new Database(database.dataSource(), SchemaName.DEFAULT)).register(JobKind.named("tick"), "test");
        CRONS.forEach(
                (name, cron) -> schedules.add(Schedule.of(name, "tick", cron).catchingUp(CatchUp.ALL), "test"));
        database.run(
                "UPDATE oneroof.job_schedule SET next_due_at = '2024-10-20T00:30:00Z' WHERE schedule_name = 'nights'");
        database.run(
                "UPDATE oneroof.job_schedule SET next_due_at = '2025-03-24T23:00:00Z' WHERE schedule_name = 'hours'");
        Instant firstSecond = Objects.requireNonNull(schedules.show("seconds").nextDueAt());

        Map<String, JavaProcess> processes = new HashMap<>();
        try {
            for (String name : List.of("one", "two", "three")) {
                processes.put(name, KeepingProcess.start(database, name));
            }
            String killed = fires(database, "");
            awaitFired(schedules, 2);
            Objects.requireNonNull(processes.get(killed)).kill();

            String frozen = fires(database, killed);
            awaitFired(schedules, schedules.show("seconds").fired() + 2);
            Objects.requireNonNull(processes.get(frozen)).pause();

            String third = fires(database, frozen);
            assertThat(List.of(killed, frozen, third)).doesNotHaveDuplicates();
            awaitFired(schedules, schedules.show("seconds").fired() + 2);
            Objects.requireNonNull(processes.get(frozen)).resume();
            awaitFired(schedules, schedules.show("seconds").fired() + 3);
            Await.patiently().until("the hours to be made up for", () -> isUpToDate(schedules, "hours"));
            CRONS.keySet().forEach(name -> schedules.pause(name, new OperatorAct("test", "enough")));
        } finally {
            processes.values().forEach(JavaProcess::close);
        }

        CRONS.keySet().forEach(name -> {
            // A second firing of a time would find the key of the first, and be counted.
            assertThat(schedules.show(name).overlapped()).isZero();
            assertThat(schedules.show(name).fired())
                    .isEqualTo(jobs(database, name).size());
        });
        Instant last = Objects.requireNonNull(schedules.show("seconds").lastDueAt());
        assertThat(jobs(database, "seconds")).isEqualTo(times("seconds", firstSecond, last));
        assertThat(jobs(database, "nights"))
                .isEqualTo(times("nights", Instant.parse("2024-10-20T00:30:00Z"), last))
                .contains("2024-10-27T00:30:00Z", "2025-03-30T01:00:00Z", "2025-10-26T00:30:00Z");
        assertThat(jobs(database, "hours")).isEqualTo(times("hours", Instant.parse("2025-03-24T23:00:00Z"), last));
    }

    /** The holder of the keeper's scope, other than this one. */
    private static String fires(TestDatabase database, String not) {
        String[] found = {not};
        Await.patiently().until("a process other than '" + not + "' that fires", () -> {
            found[0] = database.value(
                    String.class,
                    "SELECT coalesce(max(lease_owner), ?) FROM oneroof.queue_heartbeat WHERE executor_name LIKE 'job_keeper%' AND lease_until > clock_timestamp()",
                    not);
            return !found[0].equals(not);
        });
        return found[0];
    }

    private static void awaitFired(Schedules schedules, long seconds) {
        Await.patiently()
                .until(
                        "%d firings".formatted(seconds),
                        () -> schedules.show("seconds").fired() >= seconds);
    }

    private static boolean isUpToDate(Schedules schedules, String name) {
        ScheduleView known = schedules.show(name);
        return Objects.requireNonNull(known.nextDueAt()).isAfter(known.seenAt());
    }

    private static List<String> jobs(TestDatabase database, String schedule) {
        return database.list(
                row -> row.getString(1),
                "SELECT substr(idempotency_key, length('schedule:%1$s:') + 1) FROM oneroof.job_queue WHERE idempotency_key LIKE 'schedule:%1$s:%%' ORDER BY scheduled_at"
                        .formatted(schedule));
    }

    private static List<String> times(String schedule, Instant first, Instant last) {
        CronExpression cron = Objects.requireNonNull(CRONS.get(schedule));
        List<String> times = new ArrayList<>();
        Optional<Instant> time = cron.next(first.minusSeconds(1));
        while (time.isPresent() && !time.get().isAfter(last)) {
            times.add(time.get().toString());
            time = cron.next(time.get());
        }
        return times;
    }
}
