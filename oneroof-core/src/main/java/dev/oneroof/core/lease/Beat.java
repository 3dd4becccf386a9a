package dev.oneroof.core.lease;

import org.jspecify.annotations.Nullable;

/**
 * A sign of life: what the worker does, and why. One that is stuck gives none: it keeps its lease and says why, and is found
 * silent in time.
 */
public record Beat(BeatStatus status, Doing doing, String reason) {
    /** Whether it is news for those who watch, after this one. That rows come by, or none do, can wait for the next. */
    public boolean isNewsAfter(@Nullable Beat before) {
        return before == null || before.isFine() != isFine() || (!isFine() && !equals(before));
    }

    private boolean isFine() {
        return doing == Doing.WORKING || doing == Doing.QUIET;
    }

    public static Beat working(String reason) {
        return new Beat(BeatStatus.OK, Doing.WORKING, reason);
    }

    public static Beat quiet() {
        return new Beat(BeatStatus.OK, Doing.QUIET, "nothing to do");
    }

    public static Beat held(BeatStatus status, String reason) {
        return new Beat(status, Doing.HELD, reason);
    }

    public static Beat stuck(String reason) {
        return new Beat(BeatStatus.ERROR, Doing.STUCK, reason);
    }

    boolean isSignOfLife() {
        return doing != Doing.STUCK;
    }

    public static Beat failing(String reason) {
        return new Beat(BeatStatus.ERROR, Doing.FAILING, reason);
    }
}
