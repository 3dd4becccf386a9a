package dev.oneroof.app.cli;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every trial takes, and how its result is told. */
final class TrialOptions {
    private static final int DOES_NOT_HOLD = 3;

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    /** A trial on a database whose schema is there. Ctrl-C ends it early. */
    interface Trial {
        BenchResult run(DatabaseAddress address, SchemaConfig schema, Waiting stop) throws Exception;
    }

    int run(String what, Trial trial) throws Exception {
        AppConfig config = options.loadForFilling();
        try (Stopping stopping = new Stopping();
                OpenDatabase database = OpenDatabase.open(config, Access.SHARE)) {
            SchemaAccess.migrate(SchemaAccess.migrator(config, database.address()), database.address());
            Console.say("%s on %s".formatted(what, database.address()));
            return report(trial.run(database.address(), config.schema(), stopping.waiting()));
        }
    }

    AppConfig config() {
        return options.loadForFilling();
    }

    int report(BenchResult result) {
        if (json) {
            Console.printJson(result);
        } else {
            Console.print("%s %s".formatted(result.bench(), result.settings()));
            result.figures().forEach(TrialOptions::print);
        }
        return result.holds() ? 0 : DOES_NOT_HOLD;
    }

    private static void print(Figure figure) {
        Console.print("%-5s %-60s %10.1f   %s"
                .formatted(figure.holds() ? "ok" : "FAIL", figure.name(), figure.measured(), figure.bound()));
    }
}
