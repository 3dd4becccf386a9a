package dev.oneroof.app.cli;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.config.ConfigFlags;
import dev.oneroof.app.config.ConfigLoader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of every command that works on a database. */
final class DatabaseOptions {
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
        return loader().load();
    }

    /** Without the databases that the environment names for all tools: for a command that fills one. */
    AppConfig loadForFilling() {
        return loader().fromOwnSettingsOnly().load();
    }

    /** With what only a server is told. */
    AppConfig loadForServer(@Nullable String instance, @Nullable Integer httpPort) {
        return loader(instance, httpPort).load();
    }

    private ConfigLoader loader() {
        return loader(null, null);
    }

    private ConfigLoader loader(@Nullable String instance, @Nullable Integer httpPort) {
        return new ConfigLoader(
                Surroundings.of(spec).environment(), new ConfigFlags(file, db, home, schema, instance, httpPort));
    }
}
