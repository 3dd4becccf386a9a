package dev.oneroof.app.cli;

import dev.oneroof.core.schedule.KnownSchedule;
import dev.oneroof.core.schedule.Schedules;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "Lists the schedules, and when each is due next.")
final class ScheduleListCommand implements Callable<Integer> {
    private static final Columns<KnownSchedule> COLUMNS = new Columns<KnownSchedule>()
            .with("NAME", KnownSchedule::name)
            .with("KIND", KnownSchedule::kind)
            .with("WHEN", ScheduleShowCommand::when)
            .with("NEXT", schedule -> schedule.pause() == null ? schedule.nextDueAt() : "paused")
            .with("LAST", KnownSchedule::lastDueAt)
            .with("FIRED", KnownSchedule::fired)
            .with("MISSED", KnownSchedule::missed);

    record Answer(List<KnownSchedule> schedules) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<KnownSchedule> schedules = OperatorAccess.inDatabase(options, db -> new Schedules(db).list());
        output.list(new Answer(schedules), schedules, COLUMNS);
        return 0;
    }
}
