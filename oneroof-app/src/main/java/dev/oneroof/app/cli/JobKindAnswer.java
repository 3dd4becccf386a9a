package dev.oneroof.app.cli;

/** What became of a kind of jobs, as it is printed. */
record JobKindAnswer(String kind, String done) {
    static Act.Done of(String kind, String done) {
        return new Act.Done("%s is %s".formatted(kind, done), new JobKindAnswer(kind, done));
    }
}
