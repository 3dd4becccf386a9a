package dev.oneroof.testkit.await;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Waits until something holds, or fails with what was awaited and what was seen last.
 *
 * <p>What is looked at is asked at once, then every few milliseconds, and once more after the deadline, so that a
 * stalled machine does not turn a truth into a failure. An exception of the question ends the waiting: it is not a
 * "not yet".
 */
public final class Await {
    private static final Duration EVERY = Duration.ofMillis(5);

    private final Duration limit;

    private Await(Duration limit) {
        this.limit = limit;
    }

    public static Await upTo(Duration limit) {
        return new Await(limit);
    }

    /** The usual limit of a test: long enough for a busy machine, short enough to be noticed. */
    public static Await patiently() {
        return upTo(Duration.ofSeconds(20));
    }

    /** Waits until the condition holds. */
    public void until(String what, Callable<Boolean> condition) {
        until(what, condition, held -> held);
    }

    /** Waits until the value is accepted, and returns it. */
    public <T> T until(String what, Callable<T> value, Predicate<? super T> accepted) {
        long start = System.nanoTime();
        while (true) {
            boolean last = System.nanoTime() - start >= limit.toNanos();
            T seen = ask(what, value);
            if (accepted.test(seen)) {
                return seen;
            }
            if (last) {
                throw new AssertionError("Waited " + limit.toMillis() + " ms for: " + what + "; last seen: " + seen);
            }
            pause(EVERY);
        }
    }

    /** Waits until the assertions pass; the last failure is the cause of this one. */
    public void untilAsserted(String what, Assertions assertions) {
        long start = System.nanoTime();
        while (true) {
            boolean last = System.nanoTime() - start >= limit.toNanos();
            AssertionError failure = failureOf(what, assertions);
            if (failure == null) {
                return;
            }
            if (last) {
                throw new AssertionError(
                        "Waited " + limit.toMillis() + " ms for: " + what + "; last: " + failure.getMessage(), failure);
            }
            pause(EVERY);
        }
    }

    /** True as soon as the condition holds, false when the limit has passed without. */
    public boolean holds(Callable<Boolean> condition) {
        long start = System.nanoTime();
        while (true) {
            boolean last = System.nanoTime() - start >= limit.toNanos();
            if (ask("a condition", condition)) {
                return true;
            }
            if (last) {
                return false;
            }
            pause(EVERY);
        }
    }

    /** Lets time pass. For tools that imitate slowness; a test waits for a signal instead. */
    public static void pause(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new OneRoofException(ErrorCode.INTERRUPTED, "Interrupted while waiting.");
            }
            LockSupport.parkNanos(left);
        }
    }

    private static <T> T ask(String what, Callable<T> value) {
        try {
            return value.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new OneRoofException(ErrorCode.FAILED, "Could not look while waiting for: " + what, e);
        }
    }

    private static @Nullable AssertionError failureOf(String what, Assertions assertions) {
        try {
            assertions.run();
            return null;
        } catch (AssertionError e) {
            return e;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new OneRoofException(ErrorCode.FAILED, "Could not look while waiting for: " + what, e);
        }
    }

    /** Assertions that may touch a database. */
    @FunctionalInterface
    public interface Assertions {
        void run() throws Exception;
    }
}
