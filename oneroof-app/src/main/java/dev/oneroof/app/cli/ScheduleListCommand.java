package dev.oneroof.app.cli;

import dev.oneroof.core.schedule.KnownSchedule;
import dev.oneroof.core.schedule.Schedules;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists the schedules, and when each is due next.")
final class ScheduleListCommand implements Callable<Integer> {
    record Answer(List<KnownSchedule> schedules) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            report(new Schedules(db).list());
            return 0;
        });
    }

    private void report(List<KnownSchedule> schedules) {
        if (json) {
            Console.printJson(new Answer(schedules));
            return;
        }
        Columns.print(
                List.of("NAME", "KIND", "WHEN", "NEXT", "LAST", "FIRED", "MISSED"),
                schedules.stream()
                        .map(schedule -> List.of(
                                schedule.name(),
                                schedule.kind(),
                                ScheduleShowCommand.when(schedule),
                                schedule.pause() == null ? orNone(schedule.nextDueAt()) : "paused",
                                orNone(schedule.lastDueAt()),
                                Long.toString(schedule.fired()),
                                Long.toString(schedule.missed())))
                        .toList());
    }

    private static String orNone(@Nullable Object value) {
        return value == null ? "-" : value.toString();
    }
}
