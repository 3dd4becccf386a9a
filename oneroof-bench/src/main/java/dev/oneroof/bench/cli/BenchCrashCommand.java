package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.app.cli.SeedOption;
import dev.oneroof.app.cli.ShutdownHook;
import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.bench.trials.BreakableServer;
import dev.oneroof.bench.trials.CrashConfig;
import dev.oneroof.bench.trials.CrashTrial;
import dev.oneroof.embeddedpostgres.EmbeddedConfig;
import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "crash",
        description = "Crash the embedded server and cut connections at COMMIT: no effect may be lost or duplicated.",
        footer = {
            "",
            "Runs its own server in a folder next to the home, with the suffix -crash; delete it afterwards.",
            "Exit code 3: a bound does not hold.",
        })
final class BenchCrashCommand implements Callable<Integer> {
    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "100000",
            converter = NumberConverters.Rows.class,
            description = "Write at least N rows (default ${DEFAULT-VALUE}).")
    private long rows;

    @Option(
            names = "--restarts",
            paramLabel = "N",
            defaultValue = "20",
            converter = BenchNumberConverters.Faults.class,
            description = "How often the server is crashed (default ${DEFAULT-VALUE}).")
    private long restarts;

    @Option(
            names = "--cuts",
            paramLabel = "N",
            defaultValue = "100",
            converter = BenchNumberConverters.Faults.class,
            description =
                    "How often a connection is cut, half before and half after a COMMIT (default ${DEFAULT-VALUE}).")
    private long cuts;

    @Mixin
    private final SeedOption seed = new SeedOption();

    @Override
    public Integer call() throws Exception {
        AppConfig config = options.config();
        if (config.database().isPresent()) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT, "--db: not allowed; this trial crashes its server and uses only its own");
        }
        // Next to the home and not in it: a folder with other files in it is refused as a home.
        Path home = config.home().resolveSibling(config.home().getFileName() + "-crash");
        try (ShutdownHook shutdown = new ShutdownHook(options.output().console());
                EmbeddedPostgres server = EmbeddedPostgres.open(EmbeddedConfig.in(home))) {
            Breakable breakable = new Breakable(server);
            DatabaseAddress admin = breakable.address();
            SchemaAccess.migrate(config, SchemaAccess.migrator(config, admin), admin);
            options.output().say("%d restarts and %d cuts on %s".formatted(restarts, cuts, admin));
            CrashConfig trial = new CrashConfig(rows, Math.toIntExact(restarts), Math.toIntExact(cuts), seed.seed());
            return options.report(
                    new CrashTrial(breakable, config.schema(), trial, shutdown.waiting(), options.output()::say).run());
        }
    }

    private record Breakable(EmbeddedPostgres server) implements BreakableServer {
        @Override
        public DatabaseAddress address() {
            ServerAddress at = server.address();
            return new DatabaseAddress(at.host(), at.port(), "postgres", at.user(), at.password(), Map.of());
        }

        @Override
        public void crash() {
            server.crash();
        }

        @Override
        public void start() {
            server.start();
        }
    }
}
