package dev.oneroof.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.PlainStart;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The demo on a real terminal, which {@code script} makes; its options differ from system to system. */
@EnabledOnOs(OS.LINUX)
class TerminalIT {
    private static final Path ROOT = Path.of(System.getProperty("oneroof.test.root"));
    private static final int CTRL_C = 3;

    @TempDir
    Path home;

    @Test
    void endsInGoodOrderOnCtrlCWhileAProgressBarIsShown() throws IOException, InterruptedException {
        ProcessBuilder builder = PlainStart.of(List.of(
                        "script",
                        "--quiet",
                        "--flush",
                        "--return",
                        "--command",
                        "./oneroof demo --rows 5000000",
                        "/dev/null"))
                .directory(ROOT.toFile())
                .redirectErrorStream(true);
        builder.environment().put("ONEROOF_HOME", home.toString());
        builder.environment().put("TERM", "xterm");
        Process terminal = builder.start();
        Screen screen = new Screen(terminal.getInputStream());
        try (OutputStream keyboard = terminal.getOutputStream()) {
            Await.upTo(Duration.ofMinutes(1))
                    .until("a progress bar", () -> screen.text().contains("%"));

            keyboard.write(CTRL_C);
            keyboard.flush();

            Await.upTo(Duration.ofMinutes(1)).until("the end; seen: " + screen.text(), () -> !terminal.isAlive());
        } finally {
            terminal.descendants().forEach(ProcessHandle::destroyForcibly);
            terminal.destroyForcibly();
        }
        assertThat(terminal.exitValue()).as(screen.text()).isEqualTo(130);
        assertThat(screen.text()).contains("the next run continues");
        assertThat(home.resolve("data/postmaster.pid")).as("no server is left").doesNotExist();
        assertThat(EmbeddedPostgres.running(home)).isEmpty();
    }

    /** What has been printed so far. */
    private static final class Screen {
        private final StringBuilder text = new StringBuilder();

        Screen(InputStream output) {
            Thread.ofVirtual().start(() -> read(output));
        }

        private void read(InputStream output) {
            byte[] buffer = new byte[4096];
            try (output) {
                for (int n = output.read(buffer); n >= 0; n = output.read(buffer)) {
                    add(new String(buffer, 0, n, StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                add("[" + e.getMessage() + "]");
            }
        }

        private synchronized void add(String more) {
            text.append(more);
        }

        synchronized String text() {
            return text.toString();
        }
    }
}
