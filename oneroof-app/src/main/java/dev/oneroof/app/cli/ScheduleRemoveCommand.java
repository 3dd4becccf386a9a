package dev.oneroof.app.cli;

import dev.oneroof.core.schedule.Schedules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "remove", description = "Forgets a schedule. Jobs that it has enqueued stay.")
final class ScheduleRemoveCommand implements Callable<Integer> {
    @Mixin
    private final ScheduleAct act = new ScheduleAct();

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(act.options(), db -> {
            new Schedules(db).remove(act.name(), act.act());
            return act.report("removed");
        });
    }
}
