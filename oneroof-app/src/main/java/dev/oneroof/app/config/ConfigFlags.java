package dev.oneroof.app.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What was said on the command line; it stands above every other place. */
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
