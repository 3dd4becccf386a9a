package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.postgres.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The configuration files of a home that was unpacked or copied run nothing and reach nothing outside of it. */
class PlantedSettingsTest {
    @TempDir
    Path parent;

    @ParameterizedTest
    @CsvSource({"postgresql.auto.conf, oldest", "postgresql.conf,", "postgresql.auto.conf, newest"})
    void aPlantedFileRunsNothingAndReachesNothingOutside(String file, String jar) throws Exception {
        EmbeddedConfig config = jar == null
                ? Given.home(home())
                : Given.home(home())
                        .withBinaries(PostgresBinaries.fromJar(Given.jar(jar)).cachedIn(Given.CACHE));
        int major;
        try (EmbeddedPostgres server = EmbeddedPostgres.open(config)) {
            major = Integer.parseInt(Given.one(server.address(), "SHOW server_version_num")) / 10_000;
        }
        plant(file, planted(major));
        try (EmbeddedPostgres server = EmbeddedPostgres.open(config)) {
            Path data = home().toRealPath().resolve("data");
            for (String name : planted(major).keySet()) {
                String found = Given.one(server.address(), "SHOW " + name);
                if (name.equals("work_mem")) {
                    assertThat(found).as("what has no effect outside stays").isEqualTo("7MB");
                } else {
                    assertThat(found).as(name).doesNotContain("planted").isNotIn("on", "always");
                }
            }
            assertThat(Given.one(server.address(), "SHOW data_directory")).isEqualTo(data.toString());
            assertThat(Given.one(server.address(), "SHOW hba_file"))
                    .isEqualTo(data.resolve("pg_hba.conf").toString());
            Given.execute(server.address(), "SELECT pg_reload_conf()", "SELECT pg_switch_wal()");
            assertThat(Given.one(server.address(), "SHOW archive_command")).doesNotContain("planted");
        }
        try (var left = Files.list(parent)) {
            assertThat(left).as("nothing is written outside").containsExactly(home());
        }
    }

    private Map<String, String> planted(int major) {
        String touch = "touch " + parent.resolve("planted");
        String outside = parent.resolve("planted").toString();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("work_mem", "7MB");
        settings.put("shared_preload_libraries", outside);
        settings.put("session_preload_libraries", outside);
        settings.put("local_preload_libraries", "planted");
        settings.put("archive_mode", "always");
        settings.put("archive_command", touch);
        settings.put("restore_command", touch);
        settings.put("archive_cleanup_command", touch);
        settings.put("recovery_end_command", touch);
        settings.put("primary_conninfo", "host=planted");
        settings.put("ssl_passphrase_command", touch);
        settings.put("jit_provider", "../planted");
        settings.put("dynamic_library_path", outside);
        settings.put("external_pid_file", outside);
        settings.put("data_directory", outside);
        settings.put("hba_file", outside);
        settings.put("ident_file", outside);
        settings.put("logging_collector", "on");
        settings.put("log_directory", outside);
        settings.put("log_filename", "../planted.log");
        settings.put("unix_socket_directories", outside);
        if (major == 14) {
            settings.put("stats_temp_directory", outside);
        }
        if (major <= 15) {
            settings.put("promote_trigger_file", outside);
        }
        if (major >= 18) {
            settings.put("extension_control_path", outside);
            settings.put("oauth_validator_libraries", outside);
        }
        return settings;
    }

    /** The library and the command exclude each other. */
    @Test
    void aPlantedArchiveLibraryIsNotLoaded() throws Exception {
        EmbeddedPostgres.open(Given.home(home())).close();
        plant("postgresql.auto.conf", Map.of("archive_mode", "on", "archive_library", "planted"));
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(home()))) {
            assertThat(Given.one(server.address(), "SHOW archive_library")).isEmpty();
            assertThat(Given.one(server.address(), "SHOW archive_mode")).isEqualTo("off");
        }
    }

    /** What the files may not say, the code that opens the server may: it runs as the caller anyway. */
    @Test
    void theCallersOwnSettingsWin() throws Exception {
        EmbeddedConfig config = Given.home(home())
                .withSettings(Map.of("Archive_Mode", "on", "archive_command", "true", "log_directory", "elsewhere"));
        try (EmbeddedPostgres server = EmbeddedPostgres.open(config)) {
            assertThat(Given.one(server.address(), "SHOW archive_command")).isEqualTo("true");
            assertThat(Given.one(server.address(), "SHOW log_directory")).isEqualTo("elsewhere");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"data_directory", "hba_file", "ident_file", "external_pid_file", "config_file"})
    void noSettingMovesTheServerAway(String name) {
        Given.refused(ErrorCode.INVALID_INPUT, () -> Given.home(home()).withSettings(Map.of(name, "x")));
    }

    private Path home() {
        return parent.resolve("home");
    }

    private void plant(String file, Map<String, String> settings) throws IOException {
        StringBuilder lines = new StringBuilder("\n");
        settings.forEach(
                (name, value) -> lines.append(name).append(" = '").append(value).append("'\n"));
        Files.writeString(home().resolve("data").resolve(file), lines, StandardOpenOption.APPEND);
    }
}
