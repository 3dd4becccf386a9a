package dev.oneroof.app.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the result of a command: as text, or with --json as one JSON object. */
public final class Output {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public Console console() {
        return CommandContext.of(spec).console();
    }

    public void say(String message) {
        console().say(message);
    }

    public void print(String data) {
        console().print(data);
    }

    public <T> void print(List<T> rows, Columns<T> columns) {
        columns.lines(rows).forEach(this::print);
    }

    /** A table; with no rows, a message on stderr. */
    public <T> void print(List<T> rows, Columns<T> columns, String none) {
        if (rows.isEmpty()) {
            say(none);
        } else {
            print(rows, columns);
        }
    }

    /** The result of a query: the object, or the text. */
    public void answer(Object answer, Runnable text) {
        if (json) {
            console().printJson(answer);
        } else {
            text.run();
        }
    }

    /** As {@link #answer}, where the text is one table. */
    public <T> void list(Object answer, List<T> rows, Columns<T> columns, String none) {
        answer(answer, () -> print(rows, columns, none));
    }

    /** The result of an act: a message on stderr, and with --json the object. */
    public void report(String done, Object answer) {
        say(done);
        printIfJson(answer);
    }

    public void printIfJson(Object answer) {
        if (json) {
            console().printJson(answer);
        }
    }
}
