package dev.oneroof.app.cli;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.latecommit.LateConfig;
import dev.oneroof.bench.latecommit.LateTrial;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "late",
        description = "Writers that commit late in every way, tails that must miss nothing, controls that lose rows.",
        footer = {"", "Works in schema oneroof_late, which it makes and drops. Exit code 3: something does not hold."})
final class BenchLateCommand implements Callable<Integer> {
    private static final int DOES_NOT_HOLD = 3;

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "20",
            converter = Numbers.Seconds.class,
            description = "How long the writers write (default ${DEFAULT-VALUE}).")
    private long seconds;

    @Option(
            names = "--writers",
            paramLabel = "N",
            defaultValue = "8",
            converter = Numbers.Writers.class,
            description = "How many write at once (default ${DEFAULT-VALUE}).")
    private long writers;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            converter = Numbers.Seed.class,
            description = "What the writers' doings are drawn from (default ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        AppConfig config = options.loadForFilling();
        try (OpenDatabase database = OpenDatabase.open(config, Access.SHARE)) {
            SchemaAccess.migrate(SchemaAccess.migrator(config, database.address()), database.address());
            Console.say("late-commit trial, %d s on %s".formatted(seconds, database.address()));
            LateConfig trial = new LateConfig(Duration.ofSeconds(seconds), Math.toIntExact(writers), seed);
            BenchResult result = new LateTrial(database.address(), config.schema(), trial).run();
            report(result);
            return result.holds() ? 0 : DOES_NOT_HOLD;
        }
    }

    private void report(BenchResult result) {
        if (json) {
            Console.printJson(result);
            return;
        }
        for (Figure figure : result.figures()) {
            Console.print("%-5s %-60s %10.1f   %s"
                    .formatted(figure.holds() ? "ok" : "FAIL", figure.name(), figure.measured(), figure.bound()));
        }
    }
}
