package dev.oneroof.app.launcher;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Small errands outside of this process. */
final class Shell {
    private Shell() {}

    /**
     * Writes an executable file from a process of its own. Were it written from here, a process that another test starts at
     * this moment could inherit the open file for a blink, and running it would fail as "text file busy".
     */
    static void script(Path path, String text) throws IOException {
        Process writer =
                new ProcessBuilder("sh", "-c", "cat >\"$1\" && chmod +x \"$1\"", "sh", path.toString()).start();
        try (var stdin = writer.getOutputStream()) {
            stdin.write(text.getBytes(StandardCharsets.UTF_8));
        }
        expectSuccess(writer);
    }

    static void command(String... command) throws IOException {
        expectSuccess(new ProcessBuilder(command).inheritIO().start());
    }

    private static void expectSuccess(Process process) throws IOException {
        try {
            if (process.waitFor() != 0) {
                throw new IOException(process.info() + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    static void await(String claim, BooleanSupplier holds) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within a minute: " + claim);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }
}
