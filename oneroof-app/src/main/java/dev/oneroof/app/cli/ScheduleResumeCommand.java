package dev.oneroof.app.cli;

import dev.oneroof.core.schedule.Schedules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "resume", description = "Has a paused schedule fire again, from its next time on.")
final class ScheduleResumeCommand implements Callable<Integer> {
    @Mixin
    private final ScheduleAct act = new ScheduleAct();

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(
                act.options(),
                db -> act.report(new Schedules(db).resume(act.name(), act.act()) ? "resumed" : "not paused"));
    }
}
