package dev.oneroof.app.config;

import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What the settings come to, checked.
 *
 * @param database empty: the embedded server in {@code home}
 */
public record AppConfig(
        Path home,
        int embeddedPort,
        Optional<DatabaseAddress> database,
        SchemaConfig schema,
        int poolSize,
        Duration leaseTime,
        Server server) {
    /**
     * What concerns a running server only.
     *
     * @param instance empty: a name that is made for it
     */
    public record Server(Optional<String> instance, String httpHost, int httpPort, boolean logsJson) {
        public static final Server DEFAULT = new Server(Optional.empty(), "127.0.0.1", 0, false);
    }
}
