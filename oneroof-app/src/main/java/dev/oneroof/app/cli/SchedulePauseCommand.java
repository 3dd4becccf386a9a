package dev.oneroof.app.cli;

import dev.oneroof.core.schedule.Schedules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "pause",
        description = "Fires a schedule no more until it is resumed. What is due meanwhile is not made up for.")
final class SchedulePauseCommand implements Callable<Integer> {
    @Mixin
    private final ScheduleAct act = new ScheduleAct();

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(
                act.options(),
                db -> act.report(new Schedules(db).pause(act.name(), act.act()) ? "paused" : "paused already"));
    }
}
