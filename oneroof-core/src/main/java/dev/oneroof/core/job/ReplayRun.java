package dev.oneroof.core.job;

import java.time.Duration;
import java.util.Locale;

/**
 * How far the replay of a group is.
 *
 * @param letters how many were triaged for it when it began
 * @param untilNext how long it takes until the rate allows another letter
 */
public record ReplayRun(ReplayRunId id, State state, long letters, long replayed, Duration untilNext) {
    /** Of a run. */
    public enum State {
        /** Whoever asks for its next batch goes on where it was. */
        RUNNING,
        /** All letters were looked at. */
        DONE,
        CANCELLED;

        public String sql() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public boolean isRunning() {
        return state == State.RUNNING;
    }

    /** How many are not replayed: not yet, or because somebody has triaged them otherwise, or closed them, since it began. */
    public long left() {
        return Math.max(0, letters - replayed);
    }
}
