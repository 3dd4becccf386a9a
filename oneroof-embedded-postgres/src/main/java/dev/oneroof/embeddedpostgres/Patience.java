package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The one place that waits. Every wait has an end. */
final class Patience {
    private static final Duration STEP = Duration.ofMillis(20);

    private Patience() {}

    /** Asks until the answer is yes; false when the limit passes first. */
    static boolean await(Duration limit, BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - start >= limit.toNanos()) {
                return false;
            }
            pause();
        }
        return true;
    }

    private static void pause() {
        try {
            Thread.sleep(STEP);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    static OneRoofException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new OneRoofException(ErrorCode.INTERRUPTED, "Interrupted while waiting for the embedded server.", cause);
    }

    /**
     * Runs work that an interrupt must not cut short, such as ending a server: an interrupted caller would otherwise
     * leave it behind. The interrupt is kept for the caller to see.
     */
    static void shielded(Runnable work) {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().name("oneroof-embedded-stop").start(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        });
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Throwable problem = failure.get();
        if (problem instanceof RuntimeException e) {
            throw e;
        }
        if (problem instanceof Error e) {
            throw e;
        }
    }
}
