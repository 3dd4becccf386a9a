package dev.oneroof.app.cli.job;

import dev.oneroof.app.cli.ActOptions;

/** The result of an act on a kind of jobs, as it is printed. */
record JobKindAnswer(String kind, String done) {
    static ActOptions.Result of(String kind, String done) {
        return new ActOptions.Result("%s is %s".formatted(kind, done), new JobKindAnswer(kind, done));
    }
}
