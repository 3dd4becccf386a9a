package dev.oneroof.app.cli;

import dev.oneroof.core.schedule.Schedules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "remove", description = "Forgets a schedule. Jobs that it has enqueued stay.")
final class ScheduleRemoveCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "NAME", description = "Its name; 'oneroof schedule list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            new Schedules(db).remove(name, by);
            return ScheduleAnswer.of(name, "removed");
        });
    }
}
