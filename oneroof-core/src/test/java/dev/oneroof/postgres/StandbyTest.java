package dev.oneroof.postgres;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.embeddedpostgres.EmbeddedConfig;
import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a standby the primary's transactions cannot be seen, and no barrier would be sound. */
class StandbyTest {
    @Test
    void refusesAStandby(@TempDir Path home) throws IOException {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(EmbeddedConfig.in(home))) {
            assertThatCode(() -> Connections.verify(address(server.address()))).doesNotThrowAnyException();
        }
        Files.createFile(dataIn(home).resolve("standby.signal"));

        try (EmbeddedPostgres standby = EmbeddedPostgres.open(EmbeddedConfig.in(home))) {
            assertThatThrownBy(() -> Connections.verify(address(standby.address())))
                    .isInstanceOf(OneRoofException.class)
                    .hasMessageContaining("is a standby");
        }
    }

    private static Path dataIn(Path home) throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(file -> file.endsWith("PG_VERSION"))
                    .map(Path::getParent)
                    .filter(folder -> Files.exists(folder.resolve("postgresql.conf")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static DatabaseAddress address(ServerAddress server) {
        return new DatabaseAddress("127.0.0.1", server.port(), "postgres", server.user(), server.password(), Map.of());
    }
}
