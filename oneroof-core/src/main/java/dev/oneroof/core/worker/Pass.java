package dev.oneroof.core.worker;

import java.time.Duration;

/** What one pass of a worker came to. */
public sealed interface Pass {
    /** What was handled and committed. */
    default long rows() {
        return 0;
    }

    /** There may be more: go on at once. */
    record Worked(long rows) implements Pass {}

    /** All there was is done; look again after the interval, or sooner, as more may be about to come. */
    record CaughtUp(long rows, Duration interval) implements Pass {}

    /** Nothing to do; look again after the interval. */
    record Idle(Duration interval) implements Pass {}

    /** It does its work, and something of it does not come to an end: for an operator to look at. */
    record Ailing(String reason, Duration interval) implements Pass {}

    /** Something of it is past its deadline and does not end: it gives no sign of life until that has. */
    record Stuck(String reason, Duration interval) implements Pass {}

    /** The worker must not go on, for a reason that an operator can lift. */
    record Held(String reason, Duration interval) implements Pass {}

    /** The lease belongs to somebody else now. Nothing was committed. */
    record Lost() implements Pass {}
}
