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
public final class DatabaseOptions {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--db",
            paramLabel = "URL",
            description = "Use this database, postgres://user@host:port/database, instead of the embedded one.")
    private @Nullable String db;

    @Option(names = "--home", paramLabel = "DIR", description = "The data folder of the embedded server.")
    private @Nullable Path home;

    @Option(names = "--schema", paramLabel = "NAME", description = "The schema that holds OneRoof's own tables.")
    private @Nullable String schema;

    @Option(names = "--config", paramLabel = "FILE", description = "Read settings from this YAML file.")
    private @Nullable Path file;

    public AppConfig load() {
        return loader().load();
    }

    /** Ignores DATABASE_URL and PG* variables: for commands that fill a database. */
    public AppConfig loadForFilling() {
        return loader().fromOwnSettingsOnly().load();
    }

    /** With the flags that only a server takes. */
    AppConfig loadForServer(@Nullable String instance, @Nullable Integer httpPort) {
        return loader(instance, httpPort).load();
    }

    private ConfigLoader loader() {
        return loader(null, null);
    }

    private ConfigLoader loader(@Nullable String instance, @Nullable Integer httpPort) {
        return new ConfigLoader(
                CommandContext.of(spec).environment(), new ConfigFlags(file, db, home, schema, instance, httpPort));
    }
}
