package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.error.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedPostgresTest {
    @TempDir
    Path directory;

    @Test
    void isDurableAndPrivate() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(setting(server, "fsync")).isEqualTo("on");
            assertThat(setting(server, "synchronous_commit")).isEqualTo("on");
            assertThat(setting(server, "full_page_writes")).isEqualTo("on");
            assertThat(setting(server, "data_checksums")).isEqualTo("on");
            assertThat(setting(server, "max_prepared_transactions")).isEqualTo("64");
            assertThat(setting(server, "listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(setting(server, "unix_socket_directories")).isEmpty();
            assertThat(setting(server, "server_encoding")).isEqualTo("UTF8");
            assertThat(setting(server, "log_timezone")).isEqualTo("UTC");
            assertThat(Given.one(server.address(), "SELECT datcollate FROM pg_database WHERE datname = 'postgres'"))
                    .isIn("C.UTF-8", "C");
            // The driver sends the JVM's zone for the session, so the server's own is asked for.
            assertThat(Given.one(server.address(), "SELECT reset_val FROM pg_settings WHERE name = 'max_connections'"))
                    .isEqualTo("100");
            assertThat(Given.one(server.address(), "SELECT rolpassword FROM pg_authid WHERE rolsuper"))
                    .startsWith("SCRAM-SHA-256$");
            assertThat(Given.one(
                            server.address(),
                            "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'"))
                    .isEqualTo("0");
        }
    }

    private static String setting(EmbeddedPostgres server, String name) throws SQLException {
        return Given.one(server.address(), "SHOW " + name);
    }

    @Test
    void takesFurtherSettingsWhateverTheyContain() throws Exception {
        EmbeddedConfig config = Given.home(directory)
                .withSettings(Map.of("max_connections", "17", "my.text", "it's a \"$HOME\" `id` \\ #1"));
        try (EmbeddedPostgres server = EmbeddedPostgres.open(config)) {
            assertThat(setting(server, "max_connections")).isEqualTo("17");
            assertThat(setting(server, "my.text")).isEqualTo("it's a \"$HOME\" `id` \\ #1");
        }
    }

    @Test
    void staysDurableAgainstAlterSystem() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            Given.execute(server.address(), "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()");
        }
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(setting(server, "fsync")).isEqualTo("on");
        }
    }

    @Test
    void keepsDataAndPortOverCloseAndOpen() throws Exception {
        ServerAddress first;
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            first = server.address();
            Given.execute(first, "CREATE TABLE kept AS SELECT 42 AS n");
        }
        assertThat(Given.processes(directory)).isEmpty();
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(server.address()).isEqualTo(first);
            assertThat(Given.one(server.address(), "SELECT n FROM kept")).isEqualTo("42");
        }
    }

    @Test
    void keepsDataOverACrash() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            Given.execute(server.address(), "CREATE TABLE kept AS SELECT 42 AS n");
            server.crash();
            assertThatThrownBy(() -> Given.connect(server.address())).isInstanceOf(SQLException.class);
            assertThat(EmbeddedPostgres.running(directory)).isEmpty();

            server.start();
            assertThat(Given.one(server.address(), "SELECT n FROM kept")).isEqualTo("42");
            assertThat(Files.readString(directory.resolve("server.log"))).contains("not properly shut down");
        }
    }

    @Test
    void startsAgainAfterTheServerWasKilled() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            Given.execute(server.address(), "CREATE TABLE kept AS SELECT 42 AS n");
            Given.processes(directory).forEach(ProcessHandle::destroyForcibly);
            assertThat(Patience.await(Duration.ofSeconds(10), this::isDown)).isTrue();
            server.start();
            assertThat(Given.one(server.address(), "SELECT n FROM kept")).isEqualTo("42");
        }
    }

    private boolean isDown() {
        try {
            return Given.processes(directory).isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void startDoesNothingWhileTheServerRuns() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            long before = Given.postmaster(directory);
            server.start();
            assertThat(Given.postmaster(directory)).isEqualTo(before);
        }
    }

    @Test
    void closesTwiceAndThenRefusesToStart() {
        EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory));
        server.close();
        server.close();
        Given.refused(ErrorCode.FAILED, server::start);
    }

    @Test
    void closesOpenSessionsWithinBounds() throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory));
        try (Connection idle = Given.connect(server.address())) {
            server.close();
            assertThat(idle.isValid(5)).isFalse();
        }
        assertThat(Given.processes(directory)).isEmpty();
    }

    @Test
    void closesAllTheSameWhenInterrupted() throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory));
        Thread.currentThread().interrupt();
        server.close();
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        assertThat(Given.processes(directory)).isEmpty();
    }

    @Test
    void leavesNothingBehindWhenInterruptedDuringOpen() throws Exception {
        Thread.currentThread().interrupt();
        Given.refused(ErrorCode.INTERRUPTED, () -> EmbeddedPostgres.open(Given.home(directory)));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(Given.processes(directory)).isEmpty();
        EmbeddedPostgres.open(Given.home(directory)).close();
    }

    @Test
    void rejectsAWrongPassword() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            ServerAddress address = server.address();
            assertThatThrownBy(() -> DriverManager.getConnection(address.jdbcUrl("postgres"), address.user(), "wrong"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
        }
    }

    @Test
    void hidesThePasswords() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            hides("admin-password", server.logins().admin());
            hides("password", server.logins().program());
            assertThat(server.logins().toString())
                    .doesNotContain(server.logins().admin().password())
                    .doesNotContain(server.logins().program().password());
        }
    }

    private void hides(String name, ServerAddress address) throws IOException {
        Path file = directory.resolve(name);
        assertThat(Files.readString(file).strip()).isEqualTo(address.password());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(address.toString()).contains("***").doesNotContain(address.password());
    }

    @Test
    void hasALoginWithoutPowerForPrograms() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            ServerAddress program = server.logins().program();
            assertThat(EmbeddedPostgres.find(directory)).contains(server.logins());
            assertThat(Given.one(program, "SELECT session_user || ' ' || current_setting('is_superuser')"))
                    .isEqualTo("oneroof off");
            for (String act : List.of(
                    "CREATE ROLE mine",
                    "CREATE DATABASE mine",
                    "SELECT rolpassword FROM pg_authid",
                    "COPY (SELECT 1) TO PROGRAM 'cat'",
                    "COPY (SELECT 1) TO '/tmp/oneroof-planted'",
                    "SELECT pg_read_file('PG_VERSION')",
                    "ALTER SYSTEM SET work_mem = '1MB'",
                    "SET ROLE oneroof_admin")) {
                assertThatThrownBy(() -> Given.execute(program, act))
                        .as(act)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("42501"));
            }
        }
    }

    @Test
    void makesTheLoginOfProgramsAgainWhereItsPasswordOrItselfIsGone() throws Exception {
        ServerAddress first;
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            first = server.logins().program();
            Given.execute(server.address(), "ALTER ROLE oneroof SUPERUSER");
        }
        Files.delete(directory.resolve("password"));
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            ServerAddress program = server.logins().program();
            assertThat(program.password()).isNotEqualTo(first.password());
            assertThat(Given.one(program, "SHOW is_superuser")).isEqualTo("off");
            Given.execute(server.address(), "DROP ROLE oneroof");
        }
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(Given.one(server.logins().program(), "SELECT session_user"))
                    .isEqualTo("oneroof");
        }
    }

    @Test
    void isOutOfReachOfTheTerminalAndOfOurDescriptors() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            long pid = Given.postmaster(directory);
            assertThat(sessionOf(Long.toString(pid))).isEqualTo(pid).isNotEqualTo(sessionOf("self"));
            assertThat(Files.readSymbolicLink(descriptor(pid, 0))).hasToString("/dev/null");
            assertThat(Files.readSymbolicLink(descriptor(pid, 1)))
                    .isEqualTo(directory.toRealPath().resolve("server.log"));
            assertThat(Files.readSymbolicLink(descriptor(pid, 2)))
                    .isEqualTo(directory.toRealPath().resolve("server.log"));
            assertThat(server.address().port()).isPositive();
        }
    }

    /** After the name in brackets: state, parent, group, session. */
    private static long sessionOf(String pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", pid, "stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[3]);
    }

    private static Path descriptor(long pid, int number) {
        return Path.of("/proc", Long.toString(pid), "fd", Integer.toString(number));
    }

    @Test
    void listensOnTheLoopbackInterfaceOnly() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            InetAddress other = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
            assertThatThrownBy(() -> new Socket(other, server.address().port()).close())
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void worksInADirectoryWithSpacesAndSigns() throws Exception {
        Path odd = directory.resolve("a b (c) é & #; *");
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(odd))) {
            assertThat(Given.one(server.address(), "SELECT 1")).isEqualTo("1");
        }
        Given.refused(ErrorCode.INVALID_INPUT, () -> EmbeddedPostgres.open(Given.home(directory.resolve("a$b"))));
    }
}
