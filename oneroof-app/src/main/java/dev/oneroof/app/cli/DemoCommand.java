package dev.oneroof.app.cli;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.demo.Demo;
import dev.oneroof.app.demo.DemoConfig;
import dev.oneroof.app.demo.DemoSummary;
import dev.oneroof.postgres.text.Counted;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "demo",
        description = "Fill a registry and run the whole system on it until Ctrl-C.",
        footer = {
            "",
            "The registry is in schema oneroof_demo. A second run continues where the first stopped.",
        })
final class DemoCommand implements Callable<Integer> {
    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final SeedOption seed = new SeedOption();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "20000",
            converter = NumberConverters.Rows.class,
            description = "Births in the registry at the start (default ${DEFAULT-VALUE}).")
    private long rows;

    @Option(
            names = "--births-per-second",
            paramLabel = "N",
            defaultValue = "20",
            converter = NumberConverters.BirthsPerSecond.class,
            description = "New births per second while it runs (default ${DEFAULT-VALUE}).")
    private long birthsPerSecond;

    @Option(names = "--once", description = "Add no new births; exit when everything is caught up.")
    private boolean once;

    @Override
    public Integer call() {
        AppConfig config = options.loadForFilling();
        DemoConfig demo = new DemoConfig(rows, seed.seed(), Math.toIntExact(birthsPerSecond), once);
        try (ShutdownHook shutdown = new ShutdownHook(output.console());
                Progress progress = new Progress(output.console());
                OpenDatabase database = opened(config)) {
            output.say("registry and schema are in %s".formatted(database.address()));
            DemoSummary summary = new Demo(config, demo, progress, shutdown.waiting(), Version.number()).run(database);
            output.answer(summary, () -> print(summary));
        }
        return 0;
    }

    private OpenDatabase opened(AppConfig config) {
        if (config.database().isEmpty()) {
            output.say("starting PostgreSQL in %s".formatted(config.home()));
        }
        return OpenDatabase.open(config, Access.OWN);
    }

    private void print(DemoSummary summary) {
        output.print("%,d %s in %d collections, %,d %s, %d owners, %d policies (seed %d)"
                .formatted(
                        summary.births(),
                        Counted.noun(summary.births(), "birth"),
                        summary.collections(),
                        summary.changes(),
                        Counted.noun(summary.changes(), "change"),
                        summary.owners(),
                        summary.policies(),
                        summary.seed()));
        output.print("%,d %s, %s"
                .formatted(
                        summary.candidates(),
                        Counted.noun(summary.candidates(), "candidate"),
                        summary.caughtUp() ? "everything caught up" : "not caught up yet; the next run continues"));
        output.print("%s on %s: %,d %s seen, %,d %s written, watermark %s"
                .formatted(
                        summary.worker().name(),
                        summary.worker().source(),
                        summary.worker().rowsSeen(),
                        Counted.noun(summary.worker().rowsSeen(), "row"),
                        summary.worker().effectsWritten(),
                        Counted.noun(summary.worker().effectsWritten(), "effect"),
                        summary.worker().watermark()));
        output.print("%,d files, %,d of them marked by jobs"
                .formatted(summary.files().files(), summary.files().marked()));
        output.print("took %.1f s".formatted(summary.seconds()));
    }
}
