package dev.oneroof.app.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The settings from the command line; they override all others. */
public record ConfigFlags(
        @Nullable Path file,
        @Nullable String db,
        @Nullable Path home,
        @Nullable String schema,
        @Nullable String instance,
        @Nullable Integer httpPort) {
    public static final ConfigFlags NONE = new ConfigFlags(null, null, null, null);

    public ConfigFlags(@Nullable Path file, @Nullable String db, @Nullable Path home, @Nullable String schema) {
        this(file, db, home, schema, null, null);
    }
}
