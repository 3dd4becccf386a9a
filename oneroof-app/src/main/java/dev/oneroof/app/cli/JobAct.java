package dev.oneroof.app.cli;

import dev.oneroof.core.job.JobId;
import dev.oneroof.core.operator.OperatorAct;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every change of a job takes. */
final class JobAct {
    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "ID", converter = JobIds.class, description = "Its id.")
    @SuppressWarnings("NullAway.Init")
    private JobId id;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; it is kept with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    DatabaseOptions options() {
        return options;
    }

    JobId id() {
        return id;
    }

    OperatorAct act() {
        return new OperatorAct(OperatorAccess.actor(), reason);
    }

    void report(String said, Object answer) {
        Console.say(said);
        if (json) {
            Console.printJson(answer);
        }
    }
}
