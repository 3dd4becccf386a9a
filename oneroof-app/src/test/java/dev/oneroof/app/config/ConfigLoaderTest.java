package dev.oneroof.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigLoaderTest {
    @TempDir
    Path folder;

    @Test
    void hasADefaultForEverything() {
        AppConfig config = load(Map.of(), ConfigFlags.NONE);

        assertThat(config.database()).isEmpty();
        assertThat(config.home()).isEqualTo(Path.of(".oneroof").toAbsolutePath());
        assertThat(config.schema().schema().value()).isEqualTo("oneroof");
        assertThat(config.schema().roles().server()).isEqualTo("oneroof_server");
        assertThat(config.leaseTime()).hasSeconds(15);
    }

    @Test
    void prefersTheFlagThenTheEnvironmentThenTheFile() throws IOException {
        Path file = Files.writeString(
                folder.resolve("c.yaml"),
                "db:\n  schema: from_file\n  pool_size: 7\n  role_prefix: file_\nhome: /file\n");
        Map<String, String> environment =
                Map.of("ONEROOF_DB_SCHEMA", "from_env", "ONEROOF_HOME", "/env", "ONEROOF_CONFIG", file.toString());

        AppConfig config = load(environment, new ConfigFlags(null, null, null, "from_flag"));

        assertThat(config.schema().schema().value()).isEqualTo("from_flag");
        assertThat(config.home()).isEqualTo(Path.of("/env"));
        assertThat(config.poolSize()).isEqualTo(7);
        assertThat(config.schema().roles().server()).isEqualTo("file_oneroof_server");
    }

    @Test
    void readsASecretFromAFile() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "s3cret\n");

        AppConfig config = load(
                Map.of("ONEROOF_DB_URL", "postgres://ann@h/d", "ONEROOF_DB_PASSWORD_FILE", secret.toString()),
                ConfigFlags.NONE);

        assertThat(config.database().map(DatabaseAddress::password)).contains("s3cret");
        assertThat(config.toString()).doesNotContain("s3cret");
    }

    @Test
    void tellsThatASecretsFileCannotBeRead() {
        assertThatThrownBy(() -> load(Map.of("ONEROOF_DB_PASSWORD_FILE", "/no/where"), ConfigFlags.NONE))
                .isInstanceOf(OneRoofException.class)
                .hasMessageContaining("ONEROOF_DB_PASSWORD_FILE: '/no/where' cannot be read");
    }

    @Test
    void understandsWhatEveryPostgresToolUnderstands() {
        AppConfig fromParts = load(
                Map.of(
                        "PGHOST",
                        "db.example",
                        "PGPORT",
                        "6432",
                        "PGDATABASE",
                        "reg",
                        "PGUSER",
                        "ann",
                        "PGPASSWORD",
                        "p",
                        "PGSSLMODE",
                        "require"),
                ConfigFlags.NONE);
        AppConfig fromUrl = load(
                Map.of("DATABASE_URL", "postgresql://bob:b%40d@db.example/reg?sslmode=require", "PGHOST", "other"),
                ConfigFlags.NONE);

        assertThat(fromParts.database())
                .contains(new DatabaseAddress("db.example", 6432, "reg", "ann", "p", Map.of("sslmode", "require")));
        assertThat(fromUrl.database())
                .contains(new DatabaseAddress("db.example", 5432, "reg", "bob", "b@d", Map.of("sslmode", "require")));
    }

    @Test
    void tellsAllProblemsAtOnce() {
        Map<String, String> environment = Map.of(
                "ONEROOF_DB_POOL_SIZE", "many",
                "ONEROOF_EMBEDDED_PORT", "70000",
                "ONEROOF_WORKER_LEASE_SECONDS", "1",
                "ONEROOF_DB_ROLE_PREFIX", "Näh",
                "ONEROOF_DB_SCHEMA", "",
                "PGPORT", "x",
                "PGHOST", "h");

        assertThatThrownBy(() -> load(environment, ConfigFlags.NONE))
                .hasMessageContaining("db.pool_size: 'many'")
                .hasMessageContaining("embedded.port: '70000'")
                .hasMessageContaining("worker.lease_seconds: '1'")
                .hasMessageContaining("PGPORT: 'x' is not allowed");
    }

    @Test
    void keepsTheReferencePageInStepWithTheSettings() throws IOException {
        Path page = Path.of(System.getProperty("oneroof.test.root"), "docs", "reference", "configuration.md");

        assertThat(Files.readString(page)).isEqualTo(ConfigReference.markdown());
    }

    private static AppConfig load(Map<String, String> environment, ConfigFlags flags) {
        return new ConfigLoader(environment, flags).load();
    }
}
