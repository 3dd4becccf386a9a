package dev.oneroof.core.lease;

import dev.oneroof.postgres.error.OneRoofException;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * A sign of life: what the worker does, and why. A stuck worker gives none: it keeps its lease and reports why, and is found
 * silent after its threshold.
 */
public record Beat(BeatStatus status, Activity activity, String reason) {
    /** Whether it reports a change worth an early beat. A change between working and quiet waits for the next one. */
    public boolean isNewsAfter(@Nullable Beat before) {
        return before == null || before.isFine() != isFine() || (!isFine() && !equals(before));
    }

    private boolean isFine() {
        return activity == Activity.WORKING || activity == Activity.QUIET;
    }

    public static Beat working(String reason) {
        return new Beat(BeatStatus.OK, Activity.WORKING, reason);
    }

    public static Beat quiet() {
        return new Beat(BeatStatus.OK, Activity.QUIET, "nothing to do");
    }

    public static Beat held(BeatStatus status, String reason) {
        return new Beat(status, Activity.HELD, reason);
    }

    public static Beat stuck(String reason) {
        return new Beat(BeatStatus.ERROR, Activity.STUCK, reason);
    }

    boolean isSignOfLife() {
        return activity != Activity.STUCK;
    }

    public static Beat failing(String reason) {
        return new Beat(BeatStatus.ERROR, Activity.FAILING, reason);
    }

    /** With the message, where it was written for a reader; otherwise with the class as well, which says more than "null". */
    public static Beat failing(Throwable failure) {
        boolean isWritten = failure instanceof OneRoofException || failure instanceof JdbiException;
        return failing(isWritten && failure.getMessage() != null ? failure.getMessage() : failure.toString());
    }
}
