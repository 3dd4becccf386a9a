package dev.oneroof.app.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./oneroof} hands to the app, with a real Java. */
class LauncherTest {
    private ProjectRoot root;

    @BeforeEach
    void setUp(@TempDir Path temp) throws IOException {
        root = ProjectRoot.in(temp).withRealApp();
    }

    @AfterEach
    void tearDown() throws IOException {
        root.close();
    }

    @Test
    void passesArgumentsOnUnchanged() throws Exception {
        Ran ran = root.oneroof("", "two words", "it's \"quoted\"", "line\nbreak", "*", "$HOME", "\\", "");

        assertThat(ran.out()).isEqualTo("""
                <>
                <two words>
                <it's "quoted">
                <line
                break>
                <*>
                <$HOME>
                <\\>
                <>
                """);
        assertThat(ran.exitCode()).isZero();
    }

    @Test
    void runsWithoutArguments() throws Exception {
        assertThat(root.oneroof()).isEqualTo(new Ran(0, "", "oneroof: building (first run)…\n"));
    }

    @Test
    void keepsExitCode() throws Exception {
        assertThat(root.oneroof("exit", "69").exitCode()).isEqualTo(69);
        assertThat(root.oneroof("exit", "7")).isEqualTo(new Ran(7, "", ""));
    }

    @Test
    void leavesStdinToTheAppEvenWhenItBuilds() throws Exception {
        Process process = root.start(root.dir().resolve("oneroof"), "stdin");
        try (var stdin = process.getOutputStream()) {
            stdin.write("for the app\n".getBytes(StandardCharsets.UTF_8));
        }

        assertThat(Ran.finished(process).out()).isEqualTo("for the app\n");
    }

    @Test
    void runsThroughSymlinksAndStaysInTheFolderOfTheCaller() throws Exception {
        Files.createSymbolicLink(root.base().resolve("first link"), root.dir().resolve("oneroof"));
        Path second = Files.createSymbolicLink(root.elsewhere().resolve("second"), Path.of("../first link"));

        Ran ran = root.run(second, "cwd");

        assertThat(ran.out()).isEqualTo(root.elsewhere() + "\n");
        assertThat(root.built()).exists();
        assertThat(root.elsewhere()).isDirectoryNotContaining("glob:**target");
    }

    @Test
    void handsJvmOptionsOfTheUserOnWithoutExpandingThem() throws Exception {
        root.set("ONEROOF_JAVA_OPTS", "-Dfirst=1 -Dsecond=*");

        assertThat(root.oneroof("property", "second").out()).isEqualTo("*\n");
    }

    @Test
    void becomesTheAppSoThatSigtermReachesIt() throws Exception {
        Process process = root.start(root.dir().resolve("oneroof"), "wait");
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).isEqualTo("ready");
            assertThat(process.children()).isEmpty();

            process.toHandle().destroy(); // SIGTERM; process.destroy() would close its streams as well

            assertThat(out.readLine()).isEqualTo("stopped");
            assertThat(process.waitFor()).isEqualTo(143);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Test
    void writesNothingOnceItIsBuilt() throws Exception {
        root.oneroof();
        var before = root.contents();

        assertThat(root.oneroof("x").out()).isEqualTo("<x>\n");

        assertThat(root.contents()).isEqualTo(before);
    }

    @Test
    void keepsOneClassArchivePerBuild() throws Exception {
        root.oneroof();

        assertThat(archives())
                .singleElement()
                .satisfies(archive -> assertThat(Files.size(archive)).isPositive());
    }

    @Test
    void passesOverClassArchiveThatDoesNotFitWithoutAWord() throws Exception {
        root.oneroof();
        for (Path archive : archives()) {
            Files.writeString(archive, "damaged");
        }

        assertThat(root.oneroof("x")).isEqualTo(new Ran(0, "<x>\n", ""));
    }

    @Test
    void passesOverClassArchiveOfMovedProjectWithoutAWord() throws Exception {
        root.oneroof();
        // Copied, not moved: the jars are other files with other times, as after unpacking an image.
        Path copy = root.base().resolve("copied project");
        Shell.command("cp", "-R", root.dir().toString(), copy.toString());
        root.set("ONEROOF_BUILD", "never");

        assertThat(root.run(copy.resolve("oneroof"), "x")).isEqualTo(new Ran(0, "<x>\n", ""));
    }

    private List<Path> archives() throws IOException {
        try (Stream<Path> files = Files.list(root.built().getParent())) {
            return files.filter(file -> file.toString().endsWith(".jsa")).toList();
        }
    }
}
