package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.cli.ShutdownHook;
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

/** The options of every trial, and the report of its result. */
final class TrialOptions {
    private static final int DOES_NOT_HOLD = 3;

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    /**
     * A trial on a database with the schema. Ctrl-C stops it early. It logs in as the administrator: it creates schemas,
     * writes as an application would, and ends sessions of others.
     */
    interface Trial {
        BenchResult run(DatabaseAddress address, SchemaConfig schema, Waiting stop) throws Exception;
    }

    int run(String what, Trial trial) throws Exception {
        AppConfig config = options.loadForFilling();
        try (ShutdownHook shutdown = new ShutdownHook(output.console());
                OpenDatabase database = OpenDatabase.open(config, Access.SHARE)) {
            SchemaAccess.migrate(config, database);
            output.say("%s on %s".formatted(what, database.admin()));
            return report(trial.run(database.admin(), config.schema(), shutdown.waiting()));
        }
    }

    Output output() {
        return output;
    }

    AppConfig config() {
        return options.loadForFilling();
    }

    int report(BenchResult result) {
        output.answer(result, () -> {
            output.print("%s %s".formatted(result.bench(), result.settings()));
            result.figures().forEach(this::print);
        });
        return result.holds() ? 0 : DOES_NOT_HOLD;
    }

    private void print(Figure figure) {
        output.print("%-5s %-60s %10.1f   %s"
                .formatted(figure.holds() ? "ok" : "FAIL", figure.name(), figure.measured(), figure.bound()));
    }
}
