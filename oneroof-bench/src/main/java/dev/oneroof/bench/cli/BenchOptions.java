package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import picocli.CommandLine.Mixin;

/** The options of every bench, and what all share: database, report and exit code. */
final class BenchOptions {
    private static final int DOES_NOT_HOLD = 3;

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    /** Runs the bench, prints its figures and returns the exit code. */
    int run(String what, Bench bench) throws Exception {
        AppConfig config = options.loadForFilling();
        try (OpenDatabase database = OpenDatabase.open(config, Access.SHARE)) {
            SchemaAccess.migrate(config, database);
            output.say("%s on %s".formatted(what, database.admin()));
            // As the administrator: a bench creates schemas, writes as an application would, and ends sessions of
            // others.
            BenchResult result = bench.run(new BenchSite(database.admin(), config.schema()));
            report(result);
            return result.holds() ? 0 : DOES_NOT_HOLD;
        }
    }

    private void report(BenchResult result) {
        output.answer(result, () -> result.figures().forEach(figure -> output.print(line(figure))));
    }

    private static String line(Figure figure) {
        String verdict = !figure.holds() ? "FAIL" : figure.bound().isEmpty() ? "" : "ok";
        Double reference = figure.reference();
        String against = reference == null
                ? figure.bound()
                : "against %,.2f: %.2f   %s".formatted(reference, figure.ratio(), figure.bound());
        return "%-5s %-60s %,12.1f   %s"
                .formatted(verdict, figure.name(), figure.measured(), against)
                .stripTrailing();
    }
}
