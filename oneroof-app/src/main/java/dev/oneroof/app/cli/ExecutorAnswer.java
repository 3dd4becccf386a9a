package dev.oneroof.app.cli;

import dev.oneroof.postgres.text.Counted;

/** What became of the grants of a login, as it is printed. */
record ExecutorAnswer(String login, String done, int grants) {
    static Act.Done of(String login, String done, int grants) {
        return new Act.Done(
                "%s: %s %s".formatted(login, Counted.of(grants, "grant"), done),
                new ExecutorAnswer(login, done, grants));
    }
}
