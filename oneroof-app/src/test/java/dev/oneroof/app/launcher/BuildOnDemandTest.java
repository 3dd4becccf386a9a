package dev.oneroof.app.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When {@code ./oneroof} builds, and what a build that goes wrong leaves behind. */
class BuildOnDemandTest {
    private ProjectRoot root;

    @BeforeEach
    void setUp(@TempDir Path temp) throws IOException {
        root = ProjectRoot.in(temp);
        FakeJdk.jdk(root.jdks().resolve("25"), "25.0.1+8-LTS");
    }

    @AfterEach
    void tearDown() throws IOException {
        root.close();
    }

    @Test
    void buildsOnFirstRunOnlyAndKeepsStdoutClean() throws Exception {
        Ran first = root.oneroof("version");
        Ran second = root.oneroof("version");

        assertThat(first.err()).isEqualTo("oneroof: building (first run)…\n");
        assertThat(first.out()).startsWith("java at ").doesNotContain("Maven", "lock");
        assertThat(second).isEqualTo(new Ran(0, first.out(), ""));
        assertThat(root.mavenCalls())
                .containsExactly("-B -q -DskipTests -Dmaven.test.skip=true -pl oneroof-app -am package, JAVA_HOME="
                        + root.jdks().resolve("25") + ", in " + root.dir());
    }

    @ParameterizedTest
    @ValueSource(strings = {"pom.xml", "oneroof-app/pom.xml", "oneroof-app/src/main/java/App.java"})
    void buildsAgainWhenSourceIsEdited(String source) throws Exception {
        root.oneroof();
        root.edit(source);

        assertThat(root.oneroof().err()).isEqualTo("oneroof: sources changed, building…\n");
        assertThat(root.mavenCalls()).hasSize(2);
    }

    @Test
    void buildsAgainWhenSourceIsDeleted() throws Exception {
        root.oneroof();
        root.delete("oneroof-app/src/main/java/App.java");

        root.oneroof();

        assertThat(root.mavenCalls()).hasSize(2);
    }

    @Test
    void buildsAgainWhenSourceIsAdded() throws Exception {
        root.oneroof();
        root.add("oneroof-app/src/main/java/Other.java");

        root.oneroof();

        assertThat(root.mavenCalls()).hasSize(2);
    }

    @Test
    void buildsAgainWhenModuleIsAdded() throws Exception {
        root.oneroof();
        root.add("oneroof-new/src/main/java/New.java");

        root.oneroof();

        assertThat(root.mavenCalls()).hasSize(2);
    }

    @Test
    void doesNotBuildForTests() throws Exception {
        root.oneroof();
        root.edit("oneroof-app/src/test/java/AppTest.java");
        root.add("oneroof-app/src/test/java/OtherTest.java");

        root.oneroof();

        assertThat(root.mavenCalls()).hasSize(1);
    }

    @Test
    void buildsAgainWhenSourceIsEditedDuringTheBuild() throws Exception {
        root.holdMaven();
        Process process = root.start(root.dir().resolve("oneroof"));
        root.awaitMaven();
        root.editNow("oneroof-app/src/main/java/App.java");
        root.releaseMaven();
        assertThat(Ran.finished(process).exitCode()).isZero();

        assertThat(root.oneroof().err()).isEqualTo("oneroof: sources changed, building…\n");
    }

    @Test
    void doesNotBuildWhenToldNeverTo() throws Exception {
        root.set("ONEROOF_BUILD", "never");
        Ran missing = root.oneroof();
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("there is no app in");

        root.set("ONEROOF_BUILD", "");
        root.oneroof();
        root.edit("pom.xml");
        root.set("ONEROOF_BUILD", "never");
        assertThat(root.oneroof().err()).isEmpty();
        assertThat(root.mavenCalls()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"flock", "perl"})
    void buildsOnceWhenTwoStartAtOnce(String locker) throws Exception {
        // Where both are found, the other one would be taken unseen.
        Files.deleteIfExists(root.bin().resolve(locker.equals("flock") ? "perl" : "flock"));
        assumeTrue(Files.exists(root.bin().resolve(locker)));
        root.holdMaven();
        Process first = root.start(root.dir().resolve("oneroof"), "first");
        root.awaitMaven();
        Process second = root.start(root.dir().resolve("oneroof"), "second");
        BufferedReader said = second.errorReader(StandardCharsets.UTF_8);
        assertThat(said.readLine()).isEqualTo("oneroof: waiting for another build…");

        root.releaseMaven();

        assertThat(Ran.finished(first).out()).contains("Main first\n");
        assertThat(second.waitFor()).isZero();
        assertThat(said.readLine()).isNull();
        assertThat(root.mavenCalls()).singleElement().asString().doesNotContain("lock");
    }

    @Test
    void showsWhyTheBuildFailedAndBuildsAgainNextTime() throws Exception {
        root.failMaven(true);
        Ran failed = root.oneroof();
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err())
                .contains("cannot find symbol: roof\n")
                .contains("the build failed")
                .contains("target/build.log");
        assertThat(root.built()).doesNotExist();

        root.failMaven(false);
        assertThat(root.oneroof().out()).contains("java at ");
        assertThat(root.mavenCalls()).hasSize(2);
    }

    @Test
    void doesNotRunTheOldAppWhenTheBuildOfTheNewOneFails() throws Exception {
        root.oneroof();
        root.edit("pom.xml");
        root.failMaven(true);

        assertThat(root.oneroof().exitCode()).isEqualTo(1);
        assertThat(root.oneroof().exitCode()).isEqualTo(1);
    }

    @Test
    void stopsMavenWhenInterruptedAndBuildsAgainNextTime() throws Exception {
        root.oneroof();
        root.edit("pom.xml");
        root.holdMaven();
        Process process = root.start(root.dir().resolve("oneroof"));
        Shell.await("the second build began", () -> {
            try {
                return root.mavenCalls().size() == 2;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        ProcessHandle maven = process.children().findFirst().orElseThrow();

        process.toHandle().destroy(); // SIGTERM; process.destroy() would close its streams as well

        assertThat(Ran.finished(process).exitCode()).isEqualTo(143);
        Shell.await("Maven is gone", () -> !maven.isAlive());
        assertThat(root.built()).doesNotExist();
        root.releaseMaven();
        assertThat(root.oneroof().exitCode()).isZero();
        assertThat(root.mavenCalls()).hasSize(3);
    }

    @Test
    void saysThatMavenIsMissingAndLeavesNothingBehind() throws Exception {
        Files.delete(root.bin().resolve("mvn"));
        var before = root.contents();

        Ran ran = root.oneroof();

        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err()).isEqualTo("oneroof: building needs Maven, and there is no mvn on the PATH.\n");
        assertThat(root.contents()).isEqualTo(before);
    }

    @Test
    void saysThatItCannotWrite() throws Exception {
        // A file where the folder should be: the one obstacle that stops the superuser too.
        root.write("target", "");

        Ran ran = root.oneroof();

        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err()).isEqualTo("oneroof: building needs to write to " + root.dir() + ", and cannot.\n");
    }

    @Test
    void runsBenchOnAClassPathOfItsOwn() throws Exception {
        Ran app = root.oneroof("version");
        Ran bench = root.oneroof("bench", "tail");

        assertThat(app.out()).contains("oneroof-app/target/app/lib").doesNotContain("oneroof-bench");
        assertThat(bench.err()).isEqualTo("oneroof: building bench (first run)…\n");
        assertThat(bench.out())
                .contains("oneroof-bench/target/bench/lib", "Main bench tail\n")
                .doesNotContain("oneroof-app");
        assertThat(root.oneroof("bench").err()).isEmpty();
        assertThat(root.oneroof("help", "bench").out()).contains("oneroof-bench/target/bench/lib");
        assertThat(root.mavenCalls()).hasSize(2);
        assertThat(root.mavenCalls().getLast()).contains("-pl oneroof-bench -am package,");
    }

    @Test
    void buildsTheAppTogetherWithBench() throws Exception {
        root.oneroof("bench");

        assertThat(root.oneroof("version").err()).isEmpty();
        assertThat(root.mavenCalls()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"oneroof-bench/pom.xml", "oneroof-bench/src/main/java/Bench.java"})
    void doesNotBuildTheAppForAChangeOfBench(String source) throws Exception {
        root.oneroof("bench");
        root.edit(source);

        assertThat(root.oneroof("version").err()).isEmpty();
        assertThat(root.oneroof("bench").err()).isEqualTo("oneroof: sources changed, building bench…\n");
        assertThat(root.mavenCalls()).hasSize(2);
    }

    @Test
    void buildsBenchAgainAfterAChangeOfTheApp() throws Exception {
        root.oneroof("bench");
        root.edit("oneroof-app/src/main/java/App.java");

        assertThat(root.oneroof("bench").err()).isEqualTo("oneroof: sources changed, building bench…\n");
    }

    @Test
    void leavesFullCompilerToServersOnly() throws Exception {
        assertThat(root.oneroof("version").out()).contains("-XX:TieredStopAtLevel=1");
        assertThat(root.oneroof("up").out()).doesNotContain("TieredStopAtLevel");
        assertThat(root.oneroof("--config", "x", "demo").out()).doesNotContain("TieredStopAtLevel");
    }
}
