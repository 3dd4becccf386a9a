package dev.oneroof.app.cli.schedule;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "schedule",
        description = "Manage schedules that enqueue jobs by cron or interval.",
        subcommands = {
            ScheduleAddCommand.class,
            ScheduleListCommand.class,
            ScheduleShowCommand.class,
            SchedulePauseCommand.class,
            ScheduleResumeCommand.class,
            ScheduleRemoveCommand.class
        })
public final class ScheduleCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing verb; use add, list, show, pause, resume or remove");
    }
}
