package dev.oneroof.app.cli;

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

@Command(name = "show", description = "Shows one schedule, what it has done, and its next times.")
final class ScheduleShowCommand implements Callable<Integer> {
    private static final int TIMES = 5;

    record Answer(ScheduleView schedule, List<Instant> nextTimes) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "NAME", description = "Its name.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        ScheduleView schedule = OperatorAccess.inDatabase(options, db -> new Schedules(db).show(name));
        Answer answer = new Answer(schedule, times(schedule));
        output.answer(answer, () -> print(answer));
        return 0;
    }

    /** From the one that is stored, where that has yet to come. None of one that was stopped because its times cannot be told. */
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

    /** By what it is due, in words. */
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
                "missed ones",
                switch (schedule.catchUp()) {
                    case "all" -> "made up for, each";
                    case "last" -> "made up for by one, the last";
                    default -> "not made up for";
                });
        print("overlap", schedule.overlaps() ? "allowed" : "none is enqueued while the one before is alive");
        print("priority", Integer.toString(schedule.priority()));
        print(
                "attempts",
                schedule.maxAttempts() == null
                        ? "as the kind says"
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
                "so far",
                "%d fired, %d missed, %d left out for the one before"
                        .formatted(schedule.fired(), schedule.missed(), schedule.overlapped()));
        answer.nextTimes().forEach(time -> print(pause == null ? "next" : "would be", shown(schedule, time)));
    }

    /** On the clock of its zone, and by UTC. */
    private static String shown(ScheduleView schedule, Instant time) {
        if (schedule.zone() == null || schedule.zone().equals("UTC")) {
            return time.toString();
        }
        try {
            return "%s (%s)"
                    .formatted(time, time.atZone(ZoneId.of(schedule.zone())).toOffsetDateTime());
        } catch (DateTimeException e) {
            // A zone that is no longer known has no clock.
            return time.toString();
        }
    }

    private void print(String name, @Nullable String value) {
        if (value != null) {
            output.print("%-12s  %s".formatted(name, value));
        }
    }
}
