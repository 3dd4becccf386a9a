package dev.oneroof.core.worker;

import java.time.Duration;

/** The result of one pass of a worker. */
public sealed interface Pass {
    /** What was handled and committed. */
    default long rows() {
        return 0;
    }

    /** There may be more: the next pass follows immediately. */
    record Worked(long rows) implements Pass {}

    /** All work there was is done; the next pass follows after the interval, or sooner, as more work may be about to arrive. */
    record CaughtUp(long rows, Duration interval) implements Pass {}

    /** Nothing to do; the next pass follows after the interval. */
    record Idle(Duration interval) implements Pass {}

    /** The worker works, but a sub-task fails or is overdue: for an operator to look at. */
    record Degraded(String reason, Duration interval) implements Pass {}

    /** A sub-task is past its deadline and does not end: the worker gives no sign of life until it has. */
    record Stuck(String reason, Duration interval) implements Pass {}

    /** The worker must not continue, for a reason that an operator can remove. */
    record Held(String reason, Duration interval) implements Pass {}

    /** Another instance holds the lease now. Nothing was committed. */
    record Lost() implements Pass {}
}
