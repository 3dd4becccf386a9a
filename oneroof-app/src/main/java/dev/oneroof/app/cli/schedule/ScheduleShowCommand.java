package dev.oneroof.app.cli.schedule;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.schedule.ScheduleView;
import dev.oneroof.core.schedule.Schedules;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.text.DurationText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Show one schedule, its counters and its next times.")
final class ScheduleShowCommand implements Callable<Integer> {
    private static final int TIMES = 5;

    record Answer(ScheduleView schedule, List<Instant> nextTimes) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "NAME", description = "The schedule's name.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        ScheduleView schedule = OperatorAccess.inDatabase(options, db -> new Schedules(db).show(name));
        Answer answer = new Answer(schedule, times(schedule));
        output.answer(answer, () -> print(answer));
        return 0;
    }

    /** From the stored time if it is in the future; empty for a stopped schedule whose times cannot be computed. */
    private static List<Instant> times(ScheduleView schedule) {
        try {
            Instant stored = schedule.nextDueAt();
            if (stored == null || stored.isBefore(schedule.seenAt())) {
                return Schedules.times(schedule.recurrence(), schedule.seenAt(), TIMES);
            }
            return Stream.concat(Stream.of(stored), Schedules.times(schedule.recurrence(), stored, TIMES - 1).stream())
                    .toList();
        } catch (OneRoofException e) {
            if (schedule.pause() == null) {
                throw e;
            }
            return List.of();
        }
    }

    /** Its cron expression or interval, as text. */
    static String when(ScheduleView schedule) {
        return schedule.everySeconds() == null
                ? "%s in %s".formatted(schedule.cron(), schedule.zone())
                : "every %s".formatted(DurationText.of(Duration.ofSeconds(schedule.everySeconds())));
    }

    private void print(Answer answer) {
        ScheduleView schedule = answer.schedule();
        print("schedule", schedule.name());
        print("kind", schedule.kind());
        print("due", when(schedule));
        print(
                "missed",
                switch (schedule.catchUp()) {
                    case "all" -> "one job for each";
                    case "last" -> "one job for the last";
                    default -> "skipped";
                });
        print("overlap", schedule.overlaps() ? "allowed" : "no job is enqueued while the previous one is alive");
        print("priority", Integer.toString(schedule.priority()));
        print(
                "attempts",
                schedule.maxAttempts() == null
                        ? "as set for the kind"
                        : schedule.maxAttempts().toString());
        print("payload", schedule.payload());
        ScheduleView.Pause pause = schedule.pause();
        print(
                "paused",
                pause == null ? null : "since %s by %s: %s".formatted(pause.at(), pause.actor(), pause.reason()));
        print(
                "last",
                schedule.lastDueAt() == null
                        ? null
                        : "%s, job %s".formatted(shown(schedule, schedule.lastDueAt()), schedule.lastJob()));
        print(
                "counted",
                "%d fired, %d missed, %d skipped because the previous job was alive"
                        .formatted(schedule.fired(), schedule.missed(), schedule.overlapped()));
        answer.nextTimes().forEach(time -> print(pause == null ? "next" : "would be", shown(schedule, time)));
    }

    /** In UTC, and in the zone of the schedule. */
    private static String shown(ScheduleView schedule, Instant time) {
        if (schedule.zone() == null || schedule.zone().equals("UTC")) {
            return time.toString();
        }
        try {
            return "%s (%s)"
                    .formatted(time, time.atZone(ZoneId.of(schedule.zone())).toOffsetDateTime());
        } catch (DateTimeException e) {
            // The zone is no longer known.
            return time.toString();
        }
    }

    private void print(String name, @Nullable String value) {
        if (value != null) {
            output.print("%-12s  %s".formatted(name, value));
        }
    }
}
