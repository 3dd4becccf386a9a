package dev.oneroof.app.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./check} says about a run, and what it makes of it. */
class CheckTest {
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
    void countsReportsOfThisRunOnly() throws Exception {
        root.write("oneroof-app/target/surefire-reports/TEST-Old.xml", suite(100, 0, 0, 0));
        root.write("oneroof-core/target/failsafe-reports/TEST-OldIT.xml", suite(100, 3, 0, 0));
        root.report("TEST-A.xml", suite(5, 0, 0, 1));
        root.report("TEST-with space.xml", suite(7, 0, 0, 0));

        Ran ran = check();

        assertThat(ran.out()).endsWith("\ncheck: 11 passed, 0 failed, 1 skipped\n");
        assertThat(ran.out()).containsPattern("check: took \\d+ min \\d+ s\n");
        assertThat(ran.exitCode()).isZero();
    }

    @Test
    void failsWhenTestFailed() throws Exception {
        root.report("TEST-A.xml", suite(5, 1, 2, 1));
        root.failMaven(true);

        Ran ran = check();

        assertThat(ran.out()).endsWith("check: 1 passed, 3 failed, 1 skipped\n");
        assertThat(ran.exitCode()).isEqualTo(1);
    }

    @Test
    void failsWhenReportTellsOfFailureThatMavenPassedOver() throws Exception {
        root.report("TEST-A.xml", suite(2, 0, 1, 0));

        assertThat(check().exitCode()).isEqualTo(1);
    }

    @Test
    void failsWhenMavenFailedThoughNoTestDid() throws Exception {
        root.report("TEST-A.xml", suite(2, 0, 0, 0));
        root.failMaven(true);

        Ran ran = check();

        assertThat(ran.out()).endsWith("check: 2 passed, 0 failed, 0 skipped\n");
        assertThat(ran.err()).contains("Maven failed, though no test did");
        assertThat(ran.exitCode()).isEqualTo(1);
    }

    @Test
    void failsWhenNoTestRan() throws Exception {
        Ran ran = check();

        assertThat(ran.out()).endsWith("check: 0 passed, 0 failed, 0 skipped\n");
        assertThat(ran.err()).contains("no test ran");
        assertThat(ran.exitCode()).isEqualTo(1);
    }

    @Test
    void doesNotCountWhatTestsPrinted() throws Exception {
        root.report("TEST-A.xml", suite(2, 0, 0, 0).replace("</testsuite>", """
                <system-out><![CDATA[
                <testsuite name="x" tests="50" errors="0" skipped="0" failures="9">
                ]]></system-out></testsuite>"""));

        assertThat(check().out()).endsWith("check: 2 passed, 0 failed, 0 skipped\n");
    }

    @Test
    void handsArgumentsToMaven() throws Exception {
        check("-pl", "oneroof-core", "-Dtest=A B");

        assertThat(root.mavenCalls())
                .singleElement()
                .asString()
                .contains("-Pstrict verify -pl oneroof-core -Dtest=A B,")
                .doesNotContain("lock");
    }

    @Test
    void sparesTheLauncherASecondBuild() throws Exception {
        root.report("TEST-A.xml", suite(2, 0, 0, 0));
        check();

        assertThat(root.oneroof().err()).isEmpty();
        assertThat(root.oneroof("bench").err()).isEmpty();
        assertThat(root.mavenCalls()).hasSize(1);
    }

    @Test
    void leavesTheBuildToTheLauncherAfterCheckingAPart() throws Exception {
        root.report("TEST-A.xml", suite(2, 0, 0, 0));
        check("-pl", "oneroof-core");

        assertThat(root.oneroof().err()).contains("building");
    }

    private Ran check(String... args) throws IOException, InterruptedException {
        return root.run(root.dir().resolve("check"), args);
    }

    private static String suite(int tests, int errors, int failures, int skipped) {
        return """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite version="3.0.2" name="A" time="0.4" tests="%d" errors="%d" skipped="%d" failures="%d">
                  <properties/>
                </testsuite>
                """.formatted(tests, errors, skipped, failures);
    }
}
