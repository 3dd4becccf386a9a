package dev.oneroof.app.cli.schedule;

import dev.oneroof.app.cli.ActOptions;

/** The result of an act on a schedule, as it is printed. */
record ScheduleAnswer(String schedule, String done) {
    static ActOptions.Result of(String schedule, String done) {
        return new ActOptions.Result("%s is %s".formatted(schedule, done), new ScheduleAnswer(schedule, done));
    }
}
