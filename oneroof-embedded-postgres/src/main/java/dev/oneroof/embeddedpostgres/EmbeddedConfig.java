package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.nio.file.Path;
import java.util.Map;

/**
 * What an embedded server is started with.
 *
 * @param directory where data, password and log live; made when missing
 * @param port to listen on; 0 takes the last used one if it is still free, or else any free one
 * @param binaries the PostgreSQL to run
 * @param settings further server settings; the ones that make data durable and the server private cannot be changed
 */
public record EmbeddedConfig(Path directory, int port, PostgresBinaries binaries, Map<String, String> settings) {
    public EmbeddedConfig {
        directory = directory.toAbsolutePath().normalize();
        settings = Map.copyOf(settings);
        if (port < 0 || port > 65535) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "The port of the embedded server is " + port + "; it must be 1 to 65535, or 0 for any free one.");
        }
        ServerSettings.check(settings);
    }

    public static EmbeddedConfig in(Path directory) {
        return new EmbeddedConfig(directory, 0, PostgresBinaries.bundled(), Map.of());
    }

    public EmbeddedConfig withPort(int other) {
        return new EmbeddedConfig(directory, other, binaries, settings);
    }

    public EmbeddedConfig withBinaries(PostgresBinaries other) {
        return new EmbeddedConfig(directory, port, other, settings);
    }

    public EmbeddedConfig withSettings(Map<String, String> others) {
        return new EmbeddedConfig(directory, port, binaries, others);
    }
}
