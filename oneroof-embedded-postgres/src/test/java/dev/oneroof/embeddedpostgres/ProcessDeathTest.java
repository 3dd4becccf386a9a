package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.postgres.error.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Owners in other processes, and what they leave when they are killed. */
class ProcessDeathTest {
    @TempDir
    Path directory;

    @Test
    void refusesAHomeOfAnotherProcessAndFindsItsServer() throws Exception {
        try (OtherProcess owner = OtherProcess.run("own", directory)) {
            assertThat(owner.line()).startsWith("open ");
            assertThat(Given.refused(ErrorCode.HOME_IN_USE, () -> EmbeddedPostgres.open(Given.home(directory))))
                    .hasMessageContaining(directory.toRealPath().toString())
                    .hasMessageContaining(Long.toString(owner.pid()));
            ServerAddress address = EmbeddedPostgres.running(directory).orElseThrow();
            assertThat(Given.one(address, "SELECT 1")).isEqualTo("1");

            owner.kill();
            assertThat(Given.processes(directory)).as("the orphan").isNotEmpty();
            assertThat(EmbeddedPostgres.running(directory)).isEmpty();
        } finally {
            EmbeddedPostgres.open(Given.home(directory)).close();
        }
        assertThat(Given.processes(directory)).isEmpty();
    }

    @Test
    void isRefusedInAnotherProcessWhileThisOneOwnsTheHome() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            for (int i = 0; i < 2; i++) {
                try (OtherProcess second = OtherProcess.run("abandon", directory)) {
                    assertThat(second.line())
                            .startsWith("HOME_IN_USE")
                            .contains(Long.toString(ProcessHandle.current().pid()));
                }
                assertThat(EmbeddedPostgres.running(directory)).contains(server.address());
            }
            try (OtherProcess client = OtherProcess.run("running", directory)) {
                assertThat(client.line())
                        .contains(Integer.toString(server.address().port()));
            }
        }
        try (OtherProcess client = OtherProcess.run("running", directory)) {
            assertThat(client.line()).isEqualTo("Optional.empty");
        }
    }

    @Test
    void endsTheServerOfAKilledOwnerAndKeepsItsData() throws Exception {
        long orphan;
        try (OtherProcess owner = OtherProcess.run("own", directory)) {
            assertThat(owner.line()).startsWith("open ");
            ServerAddress address = EmbeddedPostgres.running(directory).orElseThrow();
            Given.execute(address, "CREATE TABLE kept AS SELECT 42 AS n");
            owner.kill();
            orphan = Given.postmaster(directory);
            assertThat(ProcessHandle.of(orphan)).isPresent();
        }
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(Given.one(server.address(), "SELECT n FROM kept")).isEqualTo("42");
            assertThat(Given.postmaster(directory)).isNotEqualTo(orphan);
            assertThat(Given.processes(directory))
                    .extracting(ProcessHandle::pid)
                    .doesNotContain(orphan);
        }
    }

    @Test
    void endsAnOrphanWithoutAPidFile() throws Exception {
        try (OtherProcess owner = OtherProcess.run("own", directory)) {
            assertThat(owner.line()).startsWith("open ");
            owner.kill();
        }
        // Without its pid file, pg_ctl cannot find it; only its processes show it.
        Files.delete(directory.resolve("data/postmaster.pid"));
        List<Long> orphans =
                Given.processes(directory).stream().map(ProcessHandle::pid).toList();
        assertThat(orphans).isNotEmpty();
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(Given.one(server.address(), "SELECT 1")).isEqualTo("1");
            assertThat(Given.processes(directory))
                    .extracting(ProcessHandle::pid)
                    .doesNotContainAnyElementsOf(orphans);
        }
    }

    @Test
    void killsAnOrphanThatNoLongerReacts() throws Exception {
        try (OtherProcess owner = OtherProcess.run("own", directory)) {
            assertThat(owner.line()).startsWith("open ");
            owner.kill();
        }
        long orphan = Given.postmaster(directory);
        assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(orphan))
                        .start()
                        .waitFor())
                .isZero();
        Postmaster postmaster = new Postmaster(
                Home.prepare(directory),
                Given.binaries().install(Home.prepare(directory)),
                new Programs(Home.prepare(directory), ServerAccount.own()),
                ServerAccount.own(),
                new ServerSettings(Map.of()));
        postmaster.endAtOnce();
        assertThat(Given.processes(directory)).isEmpty();
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(Given.one(server.address(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void doesNotKeepTheOutputOfADeadOwnerOpen() throws Exception {
        try (OtherProcess owner = OtherProcess.run("abandon", directory)) {
            assertThat(owner.rest()).singleElement().asString().startsWith("open ");
            assertThat(Given.processes(directory))
                    .as("the server that outlives it")
                    .isNotEmpty();
        } finally {
            EmbeddedPostgres.open(Given.home(directory)).close();
        }
    }

    @Test
    void isNotKeptOutByARecycledProcessId() throws Exception {
        EmbeddedPostgres.open(Given.home(directory)).close();
        Path data = directory.toRealPath().resolve("data");
        // As after a crash of the machine: the id now belongs to a living process that is no server, namely this one.
        String stale = Stream.of(ProcessHandle.current().pid(), data, 1, 5432, "", "127.0.0.1", "1 1", "ready")
                .map(String::valueOf)
                .reduce("", (all, line) -> all + line + "\n");
        Files.writeString(data.resolve("postmaster.pid"), stale);
        assertThat(Given.processes(directory)).isEmpty();
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(Given.one(server.address(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void startsOverAfterAHalfMadeDataDirectory() throws Exception {
        Path halfMade = Files.createDirectories(directory.resolve("data.new-0/data/base"));
        Files.writeString(halfMade.resolveSibling("PG_VERSION"), "17\n");
        Files.writeString(directory.resolve("password.new"), "half");
        Files.createDirectory(directory.resolve("data"));
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(Given.one(server.address(), "SELECT 1")).isEqualTo("1");
        }
        assertThat(directory.resolve("data.new-0")).doesNotExist();
        assertThat(directory.resolve("password.new")).doesNotExist();
    }

    @Test
    void recoversFromAnOwnerKilledDuringInitdb() throws Exception {
        try (OtherProcess owner = OtherProcess.run("own", directory)) {
            boolean begun = Patience.await(Duration.ofSeconds(60), this::isBeingMade);
            assertThat(begun).isTrue();
            owner.kill();
        }
        assertThat(directory.resolve("data")).doesNotExist();
        try (EmbeddedPostgres server = EmbeddedPostgres.open(Given.home(directory))) {
            assertThat(Given.one(server.address(), "SELECT 1")).isEqualTo("1");
        }
    }

    private boolean isBeingMade() {
        try (Stream<Path> files = Files.walk(directory, 3)) {
            return files.anyMatch(file -> file.endsWith("data/PG_VERSION"));
        } catch (IOException | UncheckedIOException e) {
            return false; // the tree changes while it is walked
        }
    }
}
