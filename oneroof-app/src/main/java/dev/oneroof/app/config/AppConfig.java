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
        Duration leaseTime) {}
