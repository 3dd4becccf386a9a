package dev.oneroof.app.cli;

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
        description = "Crashes the embedded server and cuts connections at the COMMIT: nothing may be lost or doubled.",
        footer = {
            "",
            "Works on a server of its own, in a folder beside the home that ends in -crash; delete it afterwards.",
            "Exit code 3: something does not hold.",
        })
final class BenchCrashCommand implements Callable<Integer> {
    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "100000",
            converter = Numbers.Rows.class,
            description = "Rows that are written at least (default ${DEFAULT-VALUE}).")
    private long rows;

    @Option(
            names = "--restarts",
            paramLabel = "N",
            defaultValue = "20",
            converter = Numbers.Blows.class,
            description = "How often the server is ended at once (default ${DEFAULT-VALUE}).")
    private long restarts;

    @Option(
            names = "--cuts",
            paramLabel = "N",
            defaultValue = "100",
            converter = Numbers.Blows.class,
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
                    ErrorCode.INVALID_INPUT, "--db: this trial crashes its server, and takes none but its own");
        }
        // Beside the home and not in it: a folder with other things in it is refused as a home.
        Path home = config.home().resolveSibling(config.home().getFileName() + "-crash");
        try (Stopping stopping = new Stopping(options.output().console());
                EmbeddedPostgres server = EmbeddedPostgres.open(EmbeddedConfig.in(home))) {
            Breakable breakable = new Breakable(server);
            DatabaseAddress admin = breakable.address();
            SchemaAccess.migrate(config, SchemaAccess.migrator(config, admin), admin);
            options.output().say("%d restarts and %d cuts on %s".formatted(restarts, cuts, admin));
            CrashConfig trial = new CrashConfig(rows, Math.toIntExact(restarts), Math.toIntExact(cuts), seed.seed());
            return options.report(
                    new CrashTrial(breakable, config.schema(), trial, stopping.waiting(), options.output()::say).run());
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
