package dev.oneroof.app.cli;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.operator.OperatorAct;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every act on a cursor takes. */
final class CursorAct {
    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = CursorName.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; it is kept with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    DatabaseOptions options() {
        return options;
    }

    Scope scope() {
        return scope;
    }

    OperatorAct act() {
        return new OperatorAct(OperatorAccess.actor(), reason);
    }

    /** One line for a reader, or one object. */
    void report(String done, Object answer) {
        Console.say(done);
        if (json) {
            Console.printJson(answer);
        }
    }
}
