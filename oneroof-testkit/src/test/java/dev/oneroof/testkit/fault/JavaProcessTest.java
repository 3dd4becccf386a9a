package dev.oneroof.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.await.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaProcessTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void passesEverythingOnToTheProcess(@TempDir Path directory) {
        try (JavaProcess process = JavaProcess.of(Told.class)
                .arguments("a", "b c")
                .environment("TOLD", "so")
                .jvmOptions("-Dtold=much")
                .in(directory)
                .start()) {
            assertThat(process.out().await("arguments")).isEqualTo("arguments [a, b c]");
            assertThat(process.out().await("environment")).isEqualTo("environment so option much");
            assertThat(process.out().await("directory"))
                    .endsWith(directory.getFileName().toString());
            process.err().await("to the error stream");
        }
    }

    @Test
    void tellsTheExitCode() {
        try (JavaProcess process = JavaProcess.of(Told.class).arguments("exit").start()) {
            assertThat(process.awaitExit(LIMIT)).isEqualTo(7);
        }
    }

    @Test
    void killsWithoutGivingItAChance() {
        try (JavaProcess process = JavaProcess.of(Told.class).start()) {
            process.out().await("tick");

            process.kill();

            assertThat(process.alive()).isFalse();
            assertThat(process.awaitExit(LIMIT)).isEqualTo(128 + 9);
            assertThat(process.out().lines()).doesNotContain("bye");
        }
    }

    @Test
    void terminatesByAskingIt() {
        try (JavaProcess process = JavaProcess.of(Told.class).start()) {
            process.out().await("tick");

            process.terminate();

            process.out().await("bye");
            assertThat(process.awaitExit(LIMIT)).isEqualTo(128 + 15);
        }
    }

    @Test
    void interruptsLikeATerminal() {
        try (JavaProcess process = JavaProcess.of(Told.class).start()) {
            process.out().await("tick");

            process.interrupt();

            assertThat(process.awaitExit(LIMIT)).isEqualTo(128 + 2);
        }
    }

    /** As {@code nohup mvn verify &} has it: a shell starts what is in the background with SIGINT ignored. */
    @Test
    void interruptsThoughTheTestsIgnoreInterrupts() throws Exception {
        try (JavaProcess tests = ignoringInterrupts(Interrupter.class)) {
            assertThat(tests.out().await("ended")).isEqualTo("ended with " + (128 + 2));
            assertThat(tests.awaitExit(LIMIT)).isZero();
        }
    }

    /** Tests that are started by a shell that ignores SIGINT. */
    private static JavaProcess ignoringInterrupts(Class<?> main) {
        return JavaProcess.of(main)
                .behind("sh", "-c", "trap '' INT; exec \"$@\"", "sh")
                .start();
    }

    /** What a test does. */
    static final class Interrupter {
        private Interrupter() {}

        public static void main(String[] arguments) {
            try (JavaProcess process = JavaProcess.of(Told.class).start()) {
                process.out().await("tick");
                process.interrupt();
                System.out.println("ended with " + process.awaitExit(LIMIT));
            }
        }
    }

    @Test
    void givesItNoSettingsOfWhoeverRunsTheTests() {
        try (JavaProcess tests = JavaProcess.of(Asker.class)
                .environment("PGHOST", "db.example")
                .environment("PGSSLMODE", "require")
                .environment("ONEROOF_DB_URL", "postgres://ann@db.example/live")
                .environment("ONEROOF_BUILD", "never")
                .environment("ONEROOF_JAVA_HOME", "/opt/jdk")
                .environment("ONEROOF_JDK_DIRS", "/opt")
                .environment("JAVA_TOOL_OPTIONS", "-Dfile.encoding=UTF-8")
                .start()) {
            assertThat(tests.out().await("settings"))
                    .isEqualTo("settings [ONEROOF_BUILD, ONEROOF_JAVA_HOME, ONEROOF_JDK_DIRS]");
            assertThat(tests.awaitExit(LIMIT)).isZero();
        }
    }

    /** Tests, and what they start. */
    static final class Asker {
        private Asker() {}

        public static void main(String[] arguments) {
            if (arguments.length > 0) {
                System.out.println("settings "
                        + System.getenv().keySet().stream()
                                .filter(name -> name.matches("(PG|ONEROOF_|JAVA_TOOL_OPTIONS).*"))
                                .sorted()
                                .toList());
                return;
            }
            try (JavaProcess process =
                    JavaProcess.of(Asker.class).arguments("asked").start()) {
                System.out.println(process.out().await("settings"));
            }
        }
    }

    @Test
    void freezesItUntilResumed() {
        try (JavaProcess process = JavaProcess.of(Told.class).start()) {
            process.out().await("tick");
            process.pause();
            List<String> frozen = settled(process.out());

            Await.pause(Duration.ofMillis(300));
            assertThat(process.out().lines()).isEqualTo(frozen);
            assertThat(process.alive()).isTrue();

            process.resume();
            process.out().await("tick " + (frozen.size() + 5));
        }
    }

    @Test
    void endsDescendantsOnClose() {
        ProcessHandle child;
        try (JavaProcess process =
                JavaProcess.of(Told.class).arguments("with a child").start()) {
            String line = process.out().await("child ");
            child = ProcessHandle.of(Long.parseLong(line.substring("child ".length())))
                    .orElseThrow();
            process.kill();
            assertThat(child.isAlive()).isTrue();
        }
        Await.patiently().until("the end of the child", () -> !child.isAlive());
    }

    @Test
    void stopsWaitingForALineWhenTheProcessHasEnded() {
        try (JavaProcess process = JavaProcess.of(Told.class).arguments("exit").start()) {
            assertThatThrownBy(() -> process.out().await("never said"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("arguments [exit]");
        }
    }

    @Test
    void refusesToSignalTheDead() {
        try (JavaProcess process = JavaProcess.of(Told.class).start()) {
            process.kill();

            assertThatThrownBy(process::pause).isInstanceOf(OneRoofException.class);
        }
    }

    /** What was on its way through the pipe when the process froze has arrived. */
    private static List<String> settled(ProcessOutput output) {
        Await.pause(Duration.ofMillis(200));
        return output.lines();
    }
}
