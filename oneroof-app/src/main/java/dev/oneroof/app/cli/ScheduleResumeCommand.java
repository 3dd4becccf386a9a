package dev.oneroof.app.cli;

import dev.oneroof.core.schedule.Schedules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "resume", description = "Has a paused schedule fire again, from its next time on.")
final class ScheduleResumeCommand implements Callable<Integer> {
    @Mixin
    private final Act act = new Act();

    @Parameters(paramLabel = "NAME", description = "Its name; 'oneroof schedule list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Override
    public Integer call() {
        return act.perform((db, by) -> {
            boolean resumed = new Schedules(db).resume(name, by);
            return ScheduleAnswer.of(name, resumed ? "resumed" : "not paused");
        });
    }
}
