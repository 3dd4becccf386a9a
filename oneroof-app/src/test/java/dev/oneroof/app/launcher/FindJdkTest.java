package dev.oneroof.app.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which Java {@code ./oneroof} takes. */
class FindJdkTest {
    private ProjectRoot root;

    @BeforeEach
    void setUp(@TempDir Path temp) throws IOException {
        root = ProjectRoot.in(temp);
    }

    @AfterEach
    void tearDown() throws IOException {
        root.close();
    }

    @Test
    void takesJavaHome() throws Exception {
        Path jdk = FakeJdk.jdk(root.base().resolve("my jdk"), "21.0.2+13-LTS");
        FakeJdk.jdk(root.jdks().resolve("newer"), "25.0.1+8-LTS");
        root.set("JAVA_HOME", jdk.toString());

        assertThat(root.oneroof().out()).contains("java at " + jdk + "\n");
        assertThat(root.mavenCalls()).singleElement().asString().contains("JAVA_HOME=" + jdk + ",");
    }

    @Test
    void takesJavaOfPathThroughItsSymlinks() throws Exception {
        Path jdk = FakeJdk.jdk(root.base().resolve("opt/jdk 25"), "25.0.1+8-LTS");
        Files.createDirectories(root.base().resolve("alternatives"));
        Path alternative =
                Files.createSymbolicLink(root.base().resolve("alternatives/java"), Path.of("../opt/jdk 25/bin/java"));
        Files.createSymbolicLink(root.bin().resolve("java"), alternative);

        assertThat(root.oneroof().out()).contains("java at " + jdk + "\n");
    }

    @Test
    void asksShimOnPathForTheHomeBehindIt() throws Exception {
        Path jdk = FakeJdk.jdk(root.base().resolve("installs/25"), "25.0.1+8-LTS");
        Path shims = FakeJdk.shim(root.base().resolve("shims"), jdk, "25.0.1+8-LTS");
        root.set("PATH", root.bin() + ":" + shims.resolve("bin"));

        assertThat(root.oneroof().out()).contains("java at " + jdk + "\n");
    }

    @Test
    void prefersFittingJdkElsewhereToOldOnesInVariableAndPath() throws Exception {
        Path old = FakeJdk.jdk(root.jdks().resolve("17"), "17.0.15+6");
        Path fitting = FakeJdk.jdk(root.jdks().resolve("25"), "25.0.1+8-LTS");
        Files.createSymbolicLink(root.bin().resolve("java"), old.resolve("bin/java"));
        root.set("JAVA_HOME", old.toString());

        Ran ran = root.oneroof();

        assertThat(ran.out()).contains("java at " + fitting + "\n");
        assertThat(ran.err()).doesNotContain("17");
    }

    @Test
    void takesNewestOfFolderButNoEarlyAccess() throws Exception {
        FakeJdk.jdk(root.jdks().resolve("a-21"), "21.0.2+13-LTS");
        Path newest = FakeJdk.jdk(root.jdks().resolve("b-25"), "25.0.1+8-LTS");
        FakeJdk.jdk(root.jdks().resolve("c-23"), "23.0.2+7");
        FakeJdk.jdk(root.jdks().resolve("d-27"), "27-ea+3");
        FakeJdk.bare(root.jdks().resolve("e-mute"));

        assertThat(root.oneroof().out()).contains("java at " + newest + "\n");
    }

    @Test
    void takesEarlyAccessThatIsNamed() throws Exception {
        Path early = FakeJdk.jdk(root.jdks().resolve("27"), "27-ea+3");
        root.set("JAVA_HOME", early.toString());

        assertThat(root.oneroof().out()).contains("java at " + early + "\n");
    }

    @Test
    void looksIntoBundlesOfMacOsAndHomebrew() throws Exception {
        Path bundle = FakeJdk.jdk(root.jdks().resolve("temurin-21.jdk/Contents/Home"), "21.0.2+13-LTS");
        assertThat(root.oneroof().out()).contains("java at " + bundle + "\n");

        Path keg = FakeJdk.jdk(root.jdks().resolve("openjdk/libexec/openjdk.jdk/Contents/Home"), "25.0.1");
        assertThat(root.oneroof().out()).contains("java at " + keg + "\n");
    }

    @Test
    void searchesSeveralFolders() throws Exception {
        Path jdk = FakeJdk.jdk(root.base().resolve("second/25"), "25.0.1+8-LTS");
        root.set(
                "ONEROOF_JDK_DIRS",
                root.base().resolve("absent") + "::" + root.base().resolve("second"));

        assertThat(root.oneroof().out()).contains("java at " + jdk + "\n");
    }

    @Test
    void runsWithRuntimeButDoesNotBuildWithOne() throws Exception {
        Path jre = FakeJdk.jre(root.base().resolve("jre"), "25.0.1+8-LTS");
        Path jdk = FakeJdk.jdk(root.jdks().resolve("21"), "21.0.2+13-LTS");
        root.set("JAVA_HOME", jre.toString());

        assertThat(root.oneroof().out()).contains("java at " + jdk + "\n");
        assertThat(root.oneroof().out()).contains("java at " + jre + "\n");
        assertThat(root.mavenCalls()).hasSize(1);
    }

    @Test
    void saysWhatItFoundWhenNothingFitsAndLeavesNothingBehind() throws Exception {
        Path old = FakeJdk.jdk(root.jdks().resolve("17"), "17.0.15+6");
        Path early = FakeJdk.jdk(root.jdks().resolve("27"), "27-ea+3");
        Path jre = FakeJdk.jre(root.jdks().resolve("jre"), "25.0.1+8-LTS");
        Files.createSymbolicLink(root.jdks().resolve("default"), old);
        Files.createSymbolicLink(root.bin().resolve("java"), old.resolve("bin/java"));
        root.set("JAVA_HOME", root.base().resolve("gone").toString());
        var before = root.contents();

        Ran ran = root.oneroof("version");

        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err())
                .contains("needs a JDK from 21 on")
                .contains("found no Java at " + root.base().resolve("gone"))
                .containsOnlyOnce("found 17.0.15+6 at " + old)
                .contains("found 27-ea+3, an early-access build, at " + early)
                .contains("found 25.0.1+8-LTS without javac at " + jre)
                .contains("Looked at JAVA_HOME, the PATH, " + root.jdks());
        assertThat(root.contents()).isEqualTo(before);
        assertThat(root.mavenCalls()).isEmpty();
    }

    @Test
    void insistsOnTheJavaThatIsAskedForByName() throws Exception {
        Path old = FakeJdk.jdk(root.base().resolve("old"), "17.0.15+6");
        FakeJdk.jdk(root.jdks().resolve("25"), "25.0.1+8-LTS");
        root.set("ONEROOF_JAVA_HOME", old.toString());

        Ran ran = root.oneroof();

        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err()).contains("found 17.0.15+6 at " + old).contains("Looked at ONEROOF_JAVA_HOME.");
    }
}
