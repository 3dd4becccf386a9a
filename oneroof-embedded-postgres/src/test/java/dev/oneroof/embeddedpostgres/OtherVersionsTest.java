package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtherVersionsTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"oldest, 14", "newest, 18"})
    void servesFromAJar(String jar, String major) throws Exception {
        EmbeddedConfig config = Given.home(directory)
                .withBinaries(PostgresBinaries.fromJar(Given.jar(jar)).cachedIn(Given.CACHE));
        try (EmbeddedPostgres server = EmbeddedPostgres.open(config)) {
            assertThat(Given.one(server.address(), "SHOW server_version")).startsWith(major + ".");
            assertThat(Given.one(server.address(), "SHOW data_checksums")).isEqualTo("on");
            Given.execute(server.address(), "CREATE TABLE kept AS SELECT 42 AS n");
            server.crash();
            server.start();
            assertThat(EmbeddedPostgres.running(directory)).contains(server.address());
        }
        try (EmbeddedPostgres server = EmbeddedPostgres.open(config)) {
            assertThat(Given.one(server.address(), "SELECT n FROM kept")).isEqualTo("42");
        }
    }
}
