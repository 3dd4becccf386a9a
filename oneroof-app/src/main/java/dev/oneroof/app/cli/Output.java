package dev.oneroof.app.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How a command answers: in words, or where a program asks by one object. */
final class Output {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    Console console() {
        return Surroundings.of(spec).console();
    }

    void say(String message) {
        console().say(message);
    }

    void print(String data) {
        console().print(data);
    }

    <T> void print(List<T> rows, Columns<T> columns) {
        columns.lines(rows).forEach(this::print);
    }

    /** A table; where it would have no row, a line for whoever reads. */
    <T> void print(List<T> rows, Columns<T> columns, String none) {
        if (rows.isEmpty()) {
            say(none);
        } else {
            print(rows, columns);
        }
    }

    /** What was looked for: the object, or the words. */
    void answer(Object answer, Runnable words) {
        if (json) {
            console().printJson(answer);
        } else {
            words.run();
        }
    }

    /** As {@link #answer}, where the words are one table. */
    <T> void list(Object answer, List<T> rows, Columns<T> columns, String none) {
        answer(answer, () -> print(rows, columns, none));
    }

    /** What was done: a line for whoever reads, and the object besides. */
    void report(String done, Object answer) {
        say(done);
        printIfJson(answer);
    }

    void printIfJson(Object answer) {
        if (json) {
            console().printJson(answer);
        }
    }
}
