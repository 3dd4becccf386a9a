package dev.oneroof.core.worker;

import java.time.Duration;

/** Is called by the loops of an instance: metrics and tests are observers. Must return quickly and must not throw. */
public interface Observer {
    Observer NONE = new Observer() {};

    /**
     * A pass of a worker has ended.
     *
     * @param rows what it handled and committed; 0 where it found nothing to do
     */
    default void passEnded(String worker, String source, long rows, Duration took) {}

    /** A pass has failed. */
    default void passFailed(String worker, String source, Throwable failure) {}

    /**
     * A scope was claimed.
     *
     * @param takenOver from an owner that had not given it back
     */
    default void claimed(String worker, String source, boolean takenOver) {}
}
