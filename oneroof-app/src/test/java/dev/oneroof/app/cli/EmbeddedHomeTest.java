package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.embeddedpostgres.EmbeddedConfig;
import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With which rights the command works on the embedded server, and which homes it refuses. */
class EmbeddedHomeTest {
    @TempDir
    Path folder;

    @Test
    void worksWithALoginThatHasNoPowerOverTheServer() throws Exception {
        Oneroof command = new Oneroof(folder);
        Oneroof.Answer demo = command.run("demo", "--once", "--rows", "300");
        assertThat(demo.exit()).as(demo.err()).isZero();
        // What the README says: the printed address, and the password in the home.
        assertThat(demo.err()).containsPattern("postgres://oneroof@127\\.0\\.0\\.1:[0-9]+/oneroof");

        for (String line : List.of(
                "gate open queue.replay.enabled --reason trial --for 1h",
                "worker list",
                "job list",
                "job enqueue recount_files --in 1h",
                "dlq list",
                "source list",
                "cursor list",
                "db status",
                "db migrate")) {
            Oneroof.Answer answer = command.run(line.split(" "));
            assertThat(answer.exit()).as(line + answer.err()).isZero();
        }
        Oneroof.Answer doctor = command.run("doctor");
        assertThat(doctor.out()).doesNotContain("pg_read_all_stats").contains("schema");

        try (EmbeddedPostgres server = EmbeddedPostgres.open(EmbeddedConfig.in(folder.resolve(".oneroof")))) {
            String password =
                    Files.readString(folder.resolve(".oneroof/password")).strip();
            assertThat(server.logins().program().password()).isEqualTo(password);
            DatabaseAddress login = address(server.logins().program());
            assertThat(texts(
                            Connections.plain(login, "test"),
                            "SELECT DISTINCT db_user FROM oneroof.dot_config_audit WHERE actor = 'demo'"))
                    .as("who the demo's pool logged in as")
                    .containsExactly("oneroof");
            try (var pool = Connections.pool(login, "test", "oneroof_server", 1)) {
                assertThat(texts(
                                pool,
                                "SELECT concat_ws(' ', session_user, current_user, rolsuper, rolcreaterole, rolbypassrls)"
                                        + " FROM pg_roles WHERE rolname = session_user"))
                        .containsExactly("oneroof oneroof_server f f f");
                for (String act : List.of(
                        "RESET ROLE; CREATE ROLE mine",
                        "RESET ROLE; SELECT rolpassword FROM pg_authid",
                        "RESET ROLE; COPY (SELECT 1) TO PROGRAM 'cat'",
                        "RESET ROLE; SET ROLE oneroof_owner",
                        "RESET ROLE; DROP TABLE oneroof.dot_config_audit",
                        "RESET ROLE; DELETE FROM oneroof.dot_config_audit")) {
                    assertThatThrownBy(() -> texts(pool, act))
                            .as(act)
                            .isInstanceOfSatisfying(
                                    SQLException.class,
                                    e -> assertThat(e.getSQLState()).isEqualTo("42501"));
                }
            }
        }
    }

    @Test
    void saysWhatToDoWithAHomeOfAnEarlierBuild() throws Exception {
        Oneroof command = new Oneroof(folder);
        Path home = folder.resolve(".oneroof");
        assertThat(command.run("db", "migrate").exit()).isZero();
        try (EmbeddedPostgres server = EmbeddedPostgres.open(EmbeddedConfig.in(home))) {
            ServerAddress admin = server.logins().admin();
            try (Connection connection =
                            Connections.plain(address(admin), "test").getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("UPDATE oneroof.schema_history SET checksum = 1 WHERE version = '3'");
            }
        }
        for (String line : List.of("demo --once --rows 10", "db migrate", "job list")) {
            Oneroof.Answer answer = command.run(line.split(" "));
            assertThat(answer.exit()).as(line + answer.err()).isEqualTo(5);
            assertThat(answer.err())
                    .contains("earlier development build", "3 (sources and cursors)")
                    .contains("delete the folder " + home, "--home FOLDER")
                    .doesNotContainIgnoringCase("checksum");
        }
        Oneroof.Answer status = command.run("db", "status");
        assertThat(status.exit()).isEqualTo(3);
        assertThat(status.out()).contains("state      different", "delete the folder " + home);
        assertThat(command.run("doctor").out()).contains("delete the folder " + home);
    }

    @Test
    void refusesAHomeThatOthersMayWrite() throws Exception {
        Path home = Files.createDirectory(folder.resolve(".oneroof"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));

        for (String line : List.of("demo --once", "db migrate", "status")) {
            Oneroof.Answer answer = new Oneroof(folder).run(line.split(" "));
            assertThat(answer.exit()).as(line).isEqualTo(6);
            assertThat(answer.err()).contains(home.toRealPath().toString(), "mode 0777", "chmod go-w", "--home FOLDER");
        }
        assertThat(home).isEmptyDirectory();
    }

    @Test
    void readsNoSettingsThatOthersMayWriteUnlessTheyAreNamed() throws IOException {
        Path file = Files.writeString(folder.resolve("oneroof.yaml"), "db:\n  schema: Mine\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));

        Oneroof.Answer answer = new Oneroof(folder).runAsProcess("db", "status");
        assertThat(answer.exit()).isEqualTo(6);
        assertThat(answer.err()).contains(file.toRealPath().toString(), "mode 0666", "--config");

        Oneroof.Answer named = new Oneroof(folder).run("db", "status", "--config", file.toString());
        assertThat(named.exit()).isEqualTo(2);
        assertThat(named.err()).contains("db.schema: 'Mine'");
    }

    private static DatabaseAddress address(ServerAddress server) {
        return new DatabaseAddress(server.host(), server.port(), "oneroof", server.user(), server.password(), Map.of());
    }

    private static List<String> texts(DataSource source, String sql) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            if (statement.execute(sql)) {
                ResultSet rows = statement.getResultSet();
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
        }
        return texts;
    }
}
