package dev.oneroof.app.cli;

import dev.oneroof.core.operator.OperatorAct;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every change of a schedule takes. */
final class ScheduleAct {
    record Answer(String schedule, String done) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "NAME", description = "Its name; 'oneroof schedule list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; it is kept with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    DatabaseOptions options() {
        return options;
    }

    String name() {
        return name;
    }

    OperatorAct act() {
        return new OperatorAct(OperatorAccess.actor(), reason);
    }

    int report(String done) {
        Console.say("%s is %s".formatted(name, done));
        if (json) {
            Console.printJson(new Answer(name, done));
        }
        return 0;
    }
}
