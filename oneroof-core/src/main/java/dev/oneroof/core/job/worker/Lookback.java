package dev.oneroof.core.job.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How far back the keeper looks for leases that have run out, or for jobs whose time has come.
 *
 * <p>While somebody holds an old snapshot open, the index keeps every lease that there was and every job that was for later,
 * and a look at all of it steps over them, once a second. So where such a look was slow, the next ones begin a little before
 * the last. What they pass by (a lease that somebody had locked, one whose transaction committed late) waits for the next
 * look at all, of which there is one every half minute at least; they take a tenth of the time at most. Without such a
 * snapshot every look is at all.
 */
final class Lookback {
    private static final Duration SLOW = Duration.ofMillis(15);
    private static final Duration SLOW_PER_JOB = Duration.ofNanos(500_000);
    private static final Duration OVERLAP = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int SELDOM = 10;

    private boolean slow;
    private long lookedNanos;
    private long fullAgainNanos;

    /** Null: at all there is. */
    @Nullable
    Duration reach(long nanos) {
        return slow && nanos - fullAgainNanos < 0
                ? Duration.ofNanos(nanos - lookedNanos).plus(OVERLAP)
                : null;
    }

    /**
     * Takes in what a look brought.
     *
     * @param reach how far it went back
     * @param complete whether it brought all that it saw: if not, the next one goes back as far
     */
    void looked(@Nullable Duration reach, boolean complete, int brought, long beganNanos, long endedNanos) {
        if (complete) {
            lookedNanos = beganNanos;
        }
        if (reach == null) {
            long took = endedNanos - beganNanos;
            slow = complete && took > SLOW.toNanos() + brought * SLOW_PER_JOB.toNanos();
            fullAgainNanos = endedNanos + Math.min(LONGEST.toNanos(), SELDOM * took);
        }
    }
}
