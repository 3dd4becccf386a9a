package dev.oneroof.core.job.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How far back the keeper scans for expired leases, or for scheduled jobs that became due.
 *
 * <p>While an old snapshot is open, the index keeps every past lease and every past scheduled job, and a full scan steps over
 * all of them, once a second. So after a slow full scan, the next ones start 10 s before the previous one. What they miss (a
 * lease whose row was locked, one whose transaction committed late) is found by the next full scan. There is one at least
 * every 30 s, and full scans take at most a tenth of the time. Without such a snapshot every scan is full.
 */
final class ScanWindow {
    private static final Duration SLOW = Duration.ofMillis(15);
    private static final Duration SLOW_PER_JOB = Duration.ofNanos(500_000);
    private static final Duration OVERLAP = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int FULL_SCAN_RATIO = 10;

    private boolean slow;
    private long scannedNanos;
    private long nextFullNanos;

    /** Null is a full scan. */
    @Nullable
    Duration reach(long nanos) {
        return slow && nanos - nextFullNanos < 0
                ? Duration.ofNanos(nanos - scannedNanos).plus(OVERLAP)
                : null;
    }

    /**
     * Records a scan.
     *
     * @param reach how far it went back
     * @param complete whether it returned all it found: if not, the next one goes back as far
     */
    void scanned(@Nullable Duration reach, boolean complete, int found, long startedNanos, long endedNanos) {
        if (complete) {
            scannedNanos = startedNanos;
        }
        if (reach == null) {
            long took = endedNanos - startedNanos;
            slow = complete && took > SLOW.toNanos() + found * SLOW_PER_JOB.toNanos();
            nextFullNanos = endedNanos + Math.min(LONGEST.toNanos(), FULL_SCAN_RATIO * took);
        }
    }
}
