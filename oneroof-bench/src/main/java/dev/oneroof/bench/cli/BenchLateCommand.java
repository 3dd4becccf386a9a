package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.SeedOption;
import dev.oneroof.bench.Bench;
import dev.oneroof.bench.latecommit.LateConfig;
import dev.oneroof.bench.latecommit.LateTrial;
import dev.oneroof.bench.latecommit.LateWatch;
import dev.oneroof.bench.latecommit.WatchConfig;
import dev.oneroof.core.worker.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "late",
        description = {
            "Run writers that commit late, tails that must miss no row, and control readers that lose rows.",
            "With --table: watch a table that another program writes."
        },
        footer = {
            "",
            "Works in schema oneroof_late or oneroof_watch, which it creates and drops.",
            "Exit code 3: a bound does not hold."
        })
final class BenchLateCommand implements Callable<Integer> {
    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Mixin
    private final SeedOption seed = new SeedOption();

    @ArgGroup(exclusive = false)
    private @Nullable Watched watched;

    private static final class Watched {
        @Option(
                names = "--table",
                paramLabel = "[SCHEMA.]NAME",
                required = true,
                description = "Watch this table from its first row on, while another program writes it.")
        @SuppressWarnings("NullAway.Init")
        private String table;

        @Option(
                names = "--ts",
                paramLabel = "COLUMN",
                description =
                        "The column that holds the database's now(); without it, the id is ordered by a sequence.")
        private @Nullable String ts;

        @Option(names = "--id", paramLabel = "COLUMN", required = true, description = "The id column.")
        @SuppressWarnings("NullAway.Init")
        private String id;

        @Option(
                names = "--ids-file",
                paramLabel = "FILE",
                required = true,
                description = "Write the ids to this file, one per line, in the order of processing.")
        @SuppressWarnings("NullAway.Init")
        private Path ids;

        WatchConfig over(Duration length) {
            int dot = table.indexOf('.');
            return new WatchConfig(
                    dot < 0 ? "public" : table.substring(0, dot), table.substring(dot + 1), ts, id, ids, length);
        }
    }

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "20",
            converter = BenchNumberConverters.Seconds.class,
            description = "How long the writers write, or the table is watched (default ${DEFAULT-VALUE}).")
    private long seconds;

    @Option(
            names = "--writers",
            paramLabel = "N",
            defaultValue = "8",
            converter = BenchNumberConverters.Writers.class,
            description = "Number of concurrent writers (default ${DEFAULT-VALUE}).")
    private long writers;

    @Override
    public Integer call() throws Exception {
        Duration length = Duration.ofSeconds(seconds);
        Watched table = watched;
        if (table == null) {
            LateConfig config = new LateConfig(length, Math.toIntExact(writers), seed.seed());
            Bench trial = site -> new LateTrial(site.address(), site.schema(), config).run();
            return options.run("late-commit trial, %d s".formatted(seconds), trial);
        }
        return options.run(
                "watching %s, %d s".formatted(table.table, seconds), new LateWatch(table.over(length), new Waiting()));
    }
}
