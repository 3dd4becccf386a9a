package dev.oneroof.core.job;

import java.time.Duration;
import java.util.Locale;

/**
 * The progress of the replay of a group.
 *
 * @param letters how many were triaged for it when it started
 * @param untilNext how long until the rate allows another letter
 */
public record ReplayRun(ReplayRunId id, State state, long letters, long replayed, Duration untilNext) {
    /** The states of a run. */
    public enum State {
        /** The next batch continues after the last one. */
        RUNNING,
        /** All letters were processed. */
        DONE,
        CANCELLED;

        public String sql() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public boolean isRunning() {
        return state == State.RUNNING;
    }

    /** How many are not replayed: not yet, or because they were triaged otherwise or closed since it started. */
    public long left() {
        return Math.max(0, letters - replayed);
    }
}
