package dev.oneroof.app.cli.schedule;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.DurationConverter;
import dev.oneroof.app.cli.JobOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
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

@Command(name = "add", description = "Add a schedule that enqueues jobs of a registered kind by cron or interval.")
final class ScheduleAddCommand implements Callable<Integer> {
    record Answer(String schedule, String done, @Nullable Instant nextDueAt) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final JobOptions job = new JobOptions();

    @Parameters(paramLabel = "NAME", description = "The schedule's name.")
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
                converter = CronConverter.class,
                description =
                        "Minute, hour, day of month, month and day of week, as in a crontab; with six fields the first is the second; or @hourly, @daily, @weekly, @monthly, @yearly.")
        @SuppressWarnings("NullAway.Init")
        private String cron;

        @Option(
                names = "--zone",
                paramLabel = "ZONE",
                defaultValue = "UTC",
                description = "The time zone of the cron expression, such as Europe/Berlin (default ${DEFAULT-VALUE}).")
        private String zone = "UTC";
    }

    static final class Steadily {
        @Option(
                names = "--every",
                required = true,
                paramLabel = "DURATION",
                converter = DurationConverter.class,
                description = "The interval between two jobs.")
        @SuppressWarnings("NullAway.Init")
        private Duration every;

        @Option(
                names = "--from",
                paramLabel = "TIME",
                converter = InstantConverter.class,
                description = "The start of the intervals, such as 2026-03-01T06:00:00Z (default: now).")
        private @Nullable Instant from;
    }

    @Option(
            names = "--catch-up",
            paramLabel = "HOW",
            defaultValue = "LAST",
            description =
                    "What to do about times that passed while no instance ran: skip them, enqueue one job for the last, or one for all of them: skip, last, all (default last).")
    private CatchUp catchUp = CatchUp.LAST;

    @Option(names = "--no-overlap", description = "Enqueue no job while the previous one is alive.")
    private boolean noOverlap;

    @Option(names = "--replace", description = "Replace the schedule of this name, if it exists.")
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
                                case SAME -> "unchanged";
                            },
                            next));
            if (!schedules.areFired()) {
                output.say("it does not fire yet: no instance is running");
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
