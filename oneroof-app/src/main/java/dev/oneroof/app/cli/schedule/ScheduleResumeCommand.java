package dev.oneroof.app.cli.schedule;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.core.schedule.Schedules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "resume", description = "Resume a paused schedule; it fires from its next time on.")
final class ScheduleResumeCommand implements Callable<Integer> {
    @Mixin
    private final ActOptions act = new ActOptions();

    @Parameters(paramLabel = "NAME", description = "The schedule's name; see 'oneroof schedule list'.")
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
