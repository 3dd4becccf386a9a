package dev.oneroof.app.cli;

import dev.oneroof.core.schedule.CatchUp;
import dev.oneroof.core.schedule.CronExpression;
import dev.oneroof.core.schedule.FixedInterval;
import dev.oneroof.core.schedule.Recurrence;
import dev.oneroof.core.schedule.Schedule;
import dev.oneroof.core.schedule.Schedules;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "add", description = "Has jobs of a kind that is registered come by the clock.")
final class ScheduleAddCommand implements Callable<Integer> {
    record Answer(String schedule, String done, @Nullable Instant nextDueAt) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final JobOptions job = new JobOptions();

    @Parameters(paramLabel = "NAME", description = "Its name.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--kind", required = true, paramLabel = "KIND", description = "The kind of its jobs.")
    @SuppressWarnings("NullAway.Init")
    private String kind;

    @ArgGroup(multiplicity = "1", exclusive = true)
    @SuppressWarnings("NullAway.Init")
    private When when;

    static final class When {
        @ArgGroup(exclusive = false)
        private @Nullable ByCron byCron;

        @ArgGroup(exclusive = false)
        private @Nullable Steadily steadily;

        Recurrence recurrence() {
            if (byCron != null) {
                return CronExpression.of(byCron.cron, byCron.zone);
            }
            Duration every = steadily == null ? Duration.ZERO : steadily.every;
            return new FixedInterval(every, steadily == null ? null : steadily.from);
        }
    }

    static final class ByCron {
        @Option(
                names = "--cron",
                required = true,
                paramLabel = "EXPRESSION",
                converter = CronWords.class,
                description =
                        "Minute, hour, day of month, month and day of week, as in a crontab; with six fields the second comes first; or @hourly, @daily, @weekly, @monthly, @yearly.")
        @SuppressWarnings("NullAway.Init")
        private String cron;

        @Option(
                names = "--zone",
                paramLabel = "ZONE",
                defaultValue = "UTC",
                description = "On the clock of this zone, such as Europe/Berlin; without it UTC.")
        private String zone = "UTC";
    }

    static final class Steadily {
        @Option(
                names = "--every",
                required = true,
                paramLabel = "DURATION",
                converter = Durations.class,
                description = "At this distance from each other.")
        @SuppressWarnings("NullAway.Init")
        private Duration every;

        @Option(
                names = "--from",
                paramLabel = "TIME",
                converter = Instants.class,
                description = "Counted from this time, such as 2026-03-01T06:00:00Z; without it from now.")
        private @Nullable Instant from;
    }

    @Option(
            names = "--catch-up",
            paramLabel = "HOW",
            defaultValue = "LAST",
            description =
                    "Times that went by while nobody ran: skip makes up for none, last for the last of them, all for each; without it last.")
    private CatchUp catchUp = CatchUp.LAST;

    @Option(names = "--no-overlap", description = "Enqueue none while the one before is alive.")
    private boolean noOverlap;

    @Option(names = "--replace", description = "Take the place of the schedule of this name, where there is one.")
    private boolean replace;

    @Override
    public Integer call() {
        Schedule schedule = new Schedule(
                name, kind, when.recurrence(), catchUp, !noOverlap, job.payload(), job.priority(), job.maxAttempts());
        return OperatorAccess.inDatabase(options, db -> {
            Schedules schedules = new Schedules(db);
            Schedules.Put done =
                    replace ? schedules.replace(schedule, OperatorAccess.actor()) : added(schedules, schedule);
            Instant next = schedules.show(name).nextDueAt();
            output.say("%s is %s, due next at %s"
                    .formatted(
                            name,
                            switch (done) {
                                case ADDED -> "added";
                                case CHANGED -> "changed";
                                case SAME -> "there already";
                            },
                            next));
            if (!schedules.areFired()) {
                output.say("nobody fires it yet: no instance is running");
            }
            output.printIfJson(new Answer(name, done.name().toLowerCase(Locale.ROOT), next));
            return 0;
        });
    }

    private static Schedules.Put added(Schedules schedules, Schedule schedule) {
        try {
            return schedules.add(schedule, OperatorAccess.actor());
        } catch (OneRoofException e) {
            throw e.code() == ErrorCode.CONFLICT
                    ? new OneRoofException(ErrorCode.CONFLICT, e.getMessage() + " (--replace)", e)
                    : e;
        }
    }
}
