package dev.oneroof.app.cli;

import dev.oneroof.core.worker.Waiting;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM ask the command to stop, and the JVM waits until it has. It stops as without a signal: workers drain
 * first, then the embedded server stops.
 */
public final class ShutdownHook implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Console console;
    private final Waiting waiting = new Waiting();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopsCleanly;
    private final Thread hook = new Thread(this::stopAndWait, "oneroof-shutdown");

    public ShutdownHook(Console console) {
        this.console = console;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The process exits with 0 after a signal, once the command has ended. */
    public ShutdownHook stoppingCleanly() {
        stopsCleanly = true;
        return this;
    }

    public Waiting waiting() {
        return waiting;
    }

    private void stopAndWait() {
        waiting.stop();
        try {
            if (!ended.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                console.say("shutdown did not finish within %d s".formatted(PATIENCE.toSeconds()));
            } else if (stopsCleanly) {
                // The JVM would report the signal. For a server, to be asked to stop is the usual end.
                Runtime.getRuntime().halt(0);
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
            // The JVM is shutting down and runs the hook.
        }
    }
}
