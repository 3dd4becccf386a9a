package dev.oneroof.app.cli;

import dev.oneroof.core.operator.OperatorAct;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every act on a gate takes. */
final class GateAct {
    record Answer(String gate, boolean open) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "GATE", description = "The gate's key; 'oneroof gate list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; it is kept with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    DatabaseOptions options() {
        return options;
    }

    String key() {
        return key;
    }

    String reason() {
        return new OperatorAct(OperatorAccess.actor(), reason).reason();
    }

    void report(boolean open, String done) {
        Console.say(done);
        if (json) {
            Console.printJson(new Answer(key, open));
        }
    }
}
