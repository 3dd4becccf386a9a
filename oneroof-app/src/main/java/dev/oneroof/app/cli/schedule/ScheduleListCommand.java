package dev.oneroof.app.cli.schedule;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.schedule.ScheduleView;
import dev.oneroof.core.schedule.Schedules;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "List the schedules and when each is due next.")
final class ScheduleListCommand implements Callable<Integer> {
    private static final Columns<ScheduleView> COLUMNS = new Columns<ScheduleView>()
            .with("NAME", ScheduleView::name)
            .with("KIND", ScheduleView::kind)
            .with("WHEN", ScheduleShowCommand::when)
            .with("NEXT", ScheduleListCommand::next)
            .with("LAST", ScheduleView::lastDueAt)
            .with("FIRED", ScheduleView::fired)
            .with("MISSED", ScheduleView::missed);

    record Answer(List<ScheduleView> schedules) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<ScheduleView> schedules = OperatorAccess.inDatabase(options, db -> new Schedules(db).list());
        output.list(new Answer(schedules), schedules, COLUMNS, "there is no schedule; 'oneroof schedule add' adds one");
        return 0;
    }

    private static @Nullable Object next(ScheduleView schedule) {
        ScheduleView.Pause pause = schedule.pause();
        if (pause == null) {
            return schedule.nextDueAt();
        }
        return pause.stopped() ? "stopped" : "paused";
    }
}
