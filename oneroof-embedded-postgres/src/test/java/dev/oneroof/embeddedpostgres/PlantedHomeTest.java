package dev.oneroof.embeddedpostgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A home that another user has put there, or could change, is refused before anything in it is used. */
class PlantedHomeTest {
    private static final int MALLORY = 54321;

    @TempDir
    Path parent;

    private Path home = Path.of("");
    private Path marker = Path.of("");

    @BeforeEach
    void makeHome() throws IOException {
        home = Files.createDirectory(parent.resolve("home"), DurableFile.PRIVATE_DIRECTORY);
        marker = parent.resolve("planted-program-ran");
    }

    @Test
    void refusesAHomeOfAnotherUser() throws Exception {
        give(home);
        refused(home, Integer.toString(MALLORY), "chown");
        assertThat(home).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwx---", "rwx----w-", "rwxrwxrwx"})
    void refusesAHomeThatOthersMayWrite(String mode) throws Exception {
        mode(home, mode);
        refused(home, "mode 0", "chmod go-w");
        assertThat(home).isEmptyDirectory();
    }

    @Test
    void refusesAHomeInADirectoryThatOthersMayWrite() throws Exception {
        mode(parent, "rwxrwxrwx");
        refused(parent, "mode 0777", "chmod go-w");
        // Neither is one made there.
        OneRoofException refusal = Given.refused(
                ErrorCode.HOME_NOT_TRUSTED, () -> EmbeddedPostgres.open(Given.home(parent.resolve("new/home"))));
        assertThat(refusal).hasMessageContaining(parent.toRealPath().toString());
        assertThat(parent.resolve("new")).doesNotExist();
    }

    @Test
    void takesAHomeOfTheCallersInADirectoryLikeTmp() throws Exception {
        Files.setAttribute(parent, "unix:mode", 01777);
        assertThat(Home.prepare(home).directory()).isEqualTo(home.toRealPath());
    }

    @Test
    void refusesAHomeInADirectoryOfAnotherUser() throws Exception {
        give(parent);
        refused(parent, Integer.toString(MALLORY));
    }

    @Test
    void refusesALinkOfAnotherUser() throws Exception {
        Path link = Files.createSymbolicLink(parent.resolve("link"), home);
        give(link);
        assertThat(Given.refused(ErrorCode.HOME_NOT_TRUSTED, () -> EmbeddedPostgres.open(Given.home(link))))
                .hasMessageContaining("link")
                .hasMessageContaining(Integer.toString(MALLORY));
    }

    @Test
    void refusesDataThatLieElsewhere() throws Exception {
        Path elsewhere = Files.createDirectory(parent.resolve("elsewhere"));
        Files.createSymbolicLink(home.resolve("data"), elsewhere);
        refused(home.resolve("data"), "symbolic link");
    }

    @ParameterizedTest
    @ValueSource(strings = {"password", "admin-password"})
    void refusesAPasswordThatOthersMayRead(String name) throws Exception {
        Path file = Files.writeString(home.resolve(name), "secret");
        mode(file, "rw-r--r--");
        refused(file, "mode 0644", "chmod 600");
    }

    @Test
    void refusesAPasswordOfAnotherUser() throws Exception {
        Path file = Files.writeString(home.resolve("password"), "secret");
        mode(file, "rw-------");
        give(file);
        refused(file, Integer.toString(MALLORY));
    }

    @Test
    void refusesPlantedProgramsAndRunsNone() throws Exception {
        EmbeddedPostgres.open(EmbeddedConfig.in(home)).close();
        Path root = programs();
        Path program = root.resolve("bin/pg_ctl");
        byte[] genuine = Files.readAllBytes(program);
        FileTime modified = Files.getLastModifiedTime(program);

        Files.write(program, script());
        runsNone(program);

        byte[] padded = Arrays.copyOf(script(), genuine.length);
        Arrays.fill(padded, script().length, padded.length, (byte) '#');
        Files.write(program, padded);
        Files.setLastModifiedTime(program, modified);
        runsNone(program);
        Files.write(program, genuine);

        Path extra = Files.write(root.resolve("lib/libc.so.6"), genuine);
        runsNone(extra);
        Files.delete(extra);

        mode(program, "rwxrwxrwx");
        runsNone(program);
        mode(program, "rwxr-xr-x");

        Path bin = root.resolve("bin");
        Path elsewhere = parent.resolve("bin");
        Files.move(bin, elsewhere);
        Files.createSymbolicLink(bin, elsewhere);
        runsNone(bin);
        Files.delete(bin);
        Files.move(elsewhere, bin);

        EmbeddedPostgres.open(EmbeddedConfig.in(home)).close();
    }

    @Test
    void refusesAProgramFolderOfAnotherUser() throws Exception {
        assumeTrue(isRoot(), "runs as root");
        EmbeddedPostgres.open(EmbeddedConfig.in(home)).close();
        Path program = programs().resolve("bin/postgres");
        give(program);
        runsNone(program);
    }

    @Test
    void makesAHomeThatNobodyElseMayEnter() throws Exception {
        Path made = parent.resolve("made");
        Home.prepare(made);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                .isEqualTo("rwx------");
    }

    private byte[] script() {
        return "#!/bin/sh\ntouch '%s'\nexit 1\n".formatted(marker).getBytes(StandardCharsets.UTF_8);
    }

    private Path programs() throws IOException {
        try (Stream<Path> found = Files.list(home.toRealPath())) {
            return found.filter(file -> file.getFileName().toString().startsWith("postgres-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private void runsNone(Path planted) {
        OneRoofException refusal =
                Given.refused(ErrorCode.HOME_NOT_TRUSTED, () -> EmbeddedPostgres.open(EmbeddedConfig.in(home)));
        assertThat(refusal).hasMessageContaining(planted.toString());
        assertThat(marker).doesNotExist();
    }

    /** Both ways into a home: to run its server, and to find one that runs. */
    private void refused(Path path, String... words) throws IOException {
        Path real = path.toRealPath(LinkOption.NOFOLLOW_LINKS);
        assertThat(Given.refused(ErrorCode.HOME_NOT_TRUSTED, () -> EmbeddedPostgres.open(Given.home(home))))
                .hasMessageContaining(real.toString())
                .message()
                .contains(words);
        Given.refused(ErrorCode.HOME_NOT_TRUSTED, () -> EmbeddedPostgres.running(home));
    }

    private static void give(Path path) throws IOException {
        assumeTrue(isRoot(), "runs as root");
        Files.setAttribute(path, "unix:uid", MALLORY, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isRoot() throws IOException {
        return Trust.caller() == 0;
    }

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
}
