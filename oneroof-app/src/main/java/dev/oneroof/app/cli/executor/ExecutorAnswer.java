package dev.oneroof.app.cli.executor;

import dev.oneroof.app.cli.ActOptions;
import dev.oneroof.postgres.text.Counted;

/** The result of a change to the grants of a login, as it is printed. */
record ExecutorAnswer(String login, String done, int grants) {
    static ActOptions.Result of(String login, String done, int grants) {
        return new ActOptions.Result(
                "%s: %s %s".formatted(login, Counted.of(grants, "grant"), done),
                new ExecutorAnswer(login, done, grants));
    }
}
