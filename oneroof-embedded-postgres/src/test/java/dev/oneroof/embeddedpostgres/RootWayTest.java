package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oneroof.postgres.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Only root has to become somebody else. */
class RootWayTest {
    @TempDir
    Path parent;

    private Path directory = Path.of("");

    @BeforeEach
    void assumeRoot() throws IOException {
        assumeTrue((int) Files.getAttribute(parent, "unix:uid") == 0, "runs as root");
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx--x--x"));
        directory = parent.resolve("home");
    }

    @ParameterizedTest
    @EnumSource(RootWay.class)
    void servesAndReopensEachWay(RootWay way) throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory), Set.of(way))) {
            Given.execute(server.address(), "CREATE TABLE kept AS SELECT 42 AS n");
            server.crash();
            server.start();
        }
        // All ways are open now, yet the owner of the data decides.
        Object owner = Files.getAttribute(directory.resolve("data"), "unix:uid");
        assertThat(owner.equals(0)).isEqualTo(way == RootWay.NAMESPACE);
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(Given.one(server.address(), "SELECT n FROM kept")).isEqualTo("42");
            Path process = Path.of("/proc", Long.toString(Given.postmaster(directory)));
            assertThat(Files.getAttribute(process, "unix:uid")).isEqualTo(owner);
        }
        assertThat(Files.getAttribute(directory.resolve("password"), "unix:uid"))
                .isEqualTo(0);
    }

    @Test
    void saysWhenThereIsNoWay() throws Exception {
        assertThat(Given.refused(
                        ErrorCode.EMBEDDED_SERVER_FAILED,
                        () -> EmbeddedPostgres.open(Given.home(directory), EnumSet.noneOf(RootWay.class))))
                .hasMessageContaining("root");
        assertThat(EmbeddedPostgres.running(directory)).isEmpty();
    }

    @Test
    void saysWhenTheOtherUserCannotReachTheDirectory() throws Exception {
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx------"));
        assertThat(Given.refused(
                        ErrorCode.EMBEDDED_SERVER_FAILED,
                        () -> EmbeddedPostgres.open(Given.home(directory), Set.of(RootWay.SETPRIV))))
                .hasMessageContaining("chmod o+x");
        // A namespace leaves the rights of root, so there it works.
        EmbeddedPostgres.open(Given.home(directory), Set.of(RootWay.NAMESPACE)).close();
    }
}
