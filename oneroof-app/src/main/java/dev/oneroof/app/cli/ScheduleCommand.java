package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "schedule",
        description = "Has jobs come by the clock, shows when, and changes it.",
        subcommands = {
            ScheduleAddCommand.class,
            ScheduleListCommand.class,
            ScheduleShowCommand.class,
            SchedulePauseCommand.class,
            ScheduleResumeCommand.class,
            ScheduleRemoveCommand.class
        })
final class ScheduleCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a verb is missing: add, list, show, pause, resume or remove");
    }
}
