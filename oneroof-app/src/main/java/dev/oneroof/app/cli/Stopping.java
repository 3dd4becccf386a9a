package dev.oneroof.app.cli;

import dev.oneroof.core.worker.Waiting;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM ask the command to end; the JVM waits until it has. So the way out is the same as without a signal:
 * workers drain first, the embedded server stops after them.
 */
final class Stopping implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Console console;
    private final Waiting waiting = new Waiting();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::stopAndWait, "oneroof-stopping");

    Stopping(Console console) {
        this.console = console;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    Waiting waiting() {
        return waiting;
    }

    private void stopAndWait() {
        waiting.stop();
        try {
            if (!ended.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                console.say("not everything ended in %d s".formatted(PATIENCE.toSeconds()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM ends, and it runs.
        }
    }
}
