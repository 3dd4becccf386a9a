package dev.oneroof.app.cli;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.config.ConfigFlags;
import dev.oneroof.app.config.ConfigLoader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of every command that works on a database. */
final class DatabaseOptions {
    private static final Set<String> ADDRESSES_OF_OTHERS = Set.of("DATABASE_URL", "PGHOST", "PGDATABASE");

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--db",
            paramLabel = "URL",
            description = "Work on this database, postgres://user@host:port/database, instead of the embedded one.")
    private @Nullable String db;

    @Option(names = "--home", paramLabel = "DIR", description = "Where the embedded server keeps its data.")
    private @Nullable Path home;

    @Option(names = "--schema", paramLabel = "NAME", description = "The schema of OneRoof's own tables.")
    private @Nullable String schema;

    @Option(names = "--config", paramLabel = "FILE", description = "Read settings from this YAML file.")
    private @Nullable Path file;

    AppConfig load() {
        return load(environment());
    }

    /** Without what the environment says about databases in general: for a command that fills one. */
    AppConfig loadForFilling() {
        Map<String, String> environment = new HashMap<>(environment());
        environment.keySet().removeAll(ADDRESSES_OF_OTHERS);
        return load(environment);
    }

    private Map<String, String> environment() {
        return Surroundings.of(spec).environment();
    }

    private AppConfig load(Map<String, String> environment) {
        return new ConfigLoader(environment, new ConfigFlags(file, db, home, schema)).load();
    }
}
