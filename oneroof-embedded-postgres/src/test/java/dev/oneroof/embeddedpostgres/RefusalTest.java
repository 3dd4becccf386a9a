package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What open and the configuration say no to, and that nothing is left behind then. */
class RefusalTest {
    @TempDir
    Path directory;

    @Test
    void refusesASecondOwnerInThisProcess() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            for (int i = 0; i < 2; i++) { // the second try shows that the first did not give the lock away
                OneRoofException refusal =
                        Given.refused(ErrorCode.HOME_IN_USE, () -> EmbeddedPostgres.open(Given.home(directory)));
                assertThat(refusal)
                        .hasMessageContaining(directory.toRealPath().toString())
                        .hasMessageContaining(
                                Long.toString(ProcessHandle.current().pid()));
            }
            assertThat(EmbeddedPostgres.running(directory)).contains(server.address());
            assertThat(Given.one(server.address(), "SELECT 1")).isEqualTo("1");
        }
        assertThat(EmbeddedPostgres.running(directory)).isEmpty();
    }

    @Test
    void knowsAHomeByAllItsNames() throws Exception {
        Path home = Files.createDirectory(directory.resolve("home"));
        Path alias = Files.createSymbolicLink(directory.resolve("alias"), home);
        EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(home));
        try (server) {
            Given.refused(ErrorCode.HOME_IN_USE, () -> EmbeddedPostgres.open(Given.home(alias)));
        }
    }

    @Test
    void refusesAPortInUseAndLeavesNothing() throws Exception {
        try (ServerSocket other = Given.listener(0)) {
            EmbeddedConfig config = Given.home(directory).withPort(other.getLocalPort());
            OneRoofException refusal = Given.refused(ErrorCode.PORT_IN_USE, () -> EmbeddedPostgres.open(config));
            assertThat(refusal).hasMessageContaining(Integer.toString(other.getLocalPort()));
            assertThat(Given.processes(directory)).isEmpty();
            assertThat(directory.resolve("data")).doesNotExist();
        }
        EmbeddedPostgres.open(Given.home(directory)).close();
    }

    @Test
    void refusesAPortThatWasTakenWhileTheServerWasDown() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            server.crash();
            int port = server.address().port();
            try (ServerSocket other = Given.listener(port)) {
                assertThat(other.isBound()).isTrue();
                Given.refused(ErrorCode.PORT_IN_USE, server::start);
            }
            // A stranger's outgoing connection may sit on the port for a moment.
            assertThat(Patience.await(Duration.ofSeconds(20), () -> starts(server)))
                    .isTrue();
            assertThat(Given.one(server.address(), "SELECT 1")).isEqualTo("1");
        }
    }

    private static boolean starts(EmbeddedPostgres server) {
        try {
            server.start();
            return true;
        } catch (OneRoofException e) {
            if (e.code() != ErrorCode.PORT_IN_USE) {
                throw e;
            }
            return false;
        }
    }

    @Test
    void takesAnotherPortWhenTheLastOneIsTaken() throws Exception {
        EmbeddedPostgres first = EmbeddedPostgres.open(Given.home(directory));
        first.close();
        int last = first.address().port();
        try (ServerSocket other = Given.listener(last);
                EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(other.isBound()).isTrue();
            assertThat(server.address().port()).isNotEqualTo(last);
        }
    }

    @Test
    void refusesADirectoryThatCannotBeWritten() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");
        for (Path impossible : new Path[] {file, file.resolve("below"), Path.of("/proc/oneroof")}) {
            OneRoofException refusal =
                    Given.refused(ErrorCode.HOME_NOT_WRITABLE, () -> EmbeddedPostgres.open(Given.home(impossible)));
            assertThat(refusal).hasMessageContaining(impossible.toString());
        }
        // Exists and is a directory, but nothing can be made in it, not even by root.
        Given.refused(
                Trust.caller() == 0 ? ErrorCode.HOME_NOT_WRITABLE : ErrorCode.HOME_NOT_TRUSTED,
                () -> EmbeddedPostgres.open(Given.home(Path.of("/proc/sys"))));
    }

    @Test
    void refusesDataOfAnotherMajorVersionWithoutTouchingIt() throws Exception {
        EmbeddedPostgres.open(Given.home(directory)).close();
        PostgresBinaries older = PostgresBinaries.fromJar(Given.jar("oldest")).cachedIn(Given.CACHE);
        OneRoofException refusal = Given.refused(
                ErrorCode.EMBEDDED_SERVER_FAILED,
                () -> EmbeddedPostgres.open(Given.home(directory).withBinaries(older)));
        assertThat(refusal).hasMessageContaining("PostgreSQL 17").hasMessageContaining("PostgreSQL 14");
        EmbeddedPostgres.open(Given.home(directory)).close();
    }

    @Test
    void refusesADataDirectoryOfSomethingElse() throws Exception {
        Path alien = Files.createDirectory(directory.resolve("data")).resolve("novel.txt");
        Files.writeString(alien, "chapter one");
        Given.refused(ErrorCode.EMBEDDED_SERVER_FAILED, () -> EmbeddedPostgres.open(Given.home(directory)));
        assertThat(alien).hasContent("chapter one");
    }

    @Test
    void saysThatThePasswordIsMissing() throws Exception {
        EmbeddedPostgres.open(Given.home(directory)).close();
        Files.delete(directory.resolve("admin-password"));
        assertThat(Given.refused(ErrorCode.EMBEDDED_SERVER_FAILED, () -> EmbeddedPostgres.open(Given.home(directory))))
                .hasMessageContaining("admin-password")
                .hasMessageContaining("earlier development build");
    }

    @Test
    void quotesTheLogOfAServerThatDoesNotStart() throws Exception {
        EmbeddedConfig config = Given.home(directory).withSettings(Map.of("max_connections", "many"));
        OneRoofException refusal = Given.refused(ErrorCode.EMBEDDED_SERVER_FAILED, () -> EmbeddedPostgres.open(config));
        assertThat(refusal).hasMessageContaining("invalid value for parameter \"max_connections\"");
        assertThat(Given.processes(directory)).isEmpty();
        EmbeddedPostgres.open(Given.home(directory)).close();
    }

    @Test
    void refusesSettingsThatWouldCostDurabilityOrPrivacy() {
        Stream.of("fsync", "FSYNC", "synchronous_commit", "full_page_writes", "listen_addresses", "port", "a b")
                .forEach(name -> Given.refused(
                        ErrorCode.INVALID_INPUT, () -> Given.home(directory).withSettings(Map.of(name, "x"))));
        Given.refused(ErrorCode.INVALID_INPUT, () -> Given.home(directory).withPort(65536));
    }

    @Test
    void namesThePlatformWithoutBinaries() {
        assertThat(Given.refused(ErrorCode.EMBEDDED_SERVER_FAILED, () -> Platform.of("Windows 11", "amd64")))
                .hasMessageContaining("Windows 11");
        assertThat(Platform.of("Linux", "aarch64").archiveName()).isEqualTo("postgres-linux-arm_64.txz");
        assertThat(Platform.of("Mac OS X", "x86_64").archiveName()).isEqualTo("postgres-darwin-x86_64.txz");
    }

    @Test
    void saysThatAJarIsMissing() {
        PostgresBinaries missing = PostgresBinaries.fromJar(directory.resolve("missing.jar"));
        assertThat(Given.refused(
                        ErrorCode.EMBEDDED_SERVER_FAILED,
                        () -> EmbeddedPostgres.open(Given.home(directory).withBinaries(missing))))
                .hasMessageContaining("missing.jar");
    }

    @Test
    void keepsThePasswordOutOfTheUrl() {
        ServerAddress address = new ServerAddress("127.0.0.1", 5432, "u", "secret");
        assertThat(address.jdbcUrl("a b/c?d")).isEqualTo("jdbc:postgresql://127.0.0.1:5432/a%20b%2Fc%3Fd");
        assertThat(org.postgresql.Driver.parseURL(address.jdbcUrl("a b/c?d"), new Properties()))
                .containsEntry("PGDBNAME", "a b/c?d");
    }
}
