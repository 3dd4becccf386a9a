package dev.oneroof.app.cli;

/** What became of a schedule, as it is printed. */
record ScheduleAnswer(String schedule, String done) {
    static Act.Done of(String schedule, String done) {
        return new Act.Done("%s is %s".formatted(schedule, done), new ScheduleAnswer(schedule, done));
    }
}
