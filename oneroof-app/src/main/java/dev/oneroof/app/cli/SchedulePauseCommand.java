package dev.oneroof.app.cli;

import dev.oneroof.core.schedule.Schedules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "pause",
        description = "Fires a schedule no more until it is resumed. What is due meanwhile is not made up for.")
final class SchedulePauseCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "NAME", description = "Its name; 'oneroof schedule list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            boolean paused = new Schedules(db).pause(name, by);
            return ScheduleAnswer.of(name, paused ? "paused" : "paused already");
        });
    }
}
