package dev.oneroof.app.cli.schedule;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.schedule.Schedules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "remove", description = "Remove a schedule. Jobs that it has enqueued stay.")
final class ScheduleRemoveCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "NAME", description = "The schedule's name; see 'oneroof schedule list'.")
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
