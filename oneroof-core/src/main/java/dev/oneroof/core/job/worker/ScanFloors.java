package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.LeasedJob;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * By kind, the position in the index of due jobs at which a lease starts to scan.
 *
 * <p>While an old snapshot is open, the index keeps every job that was ever leased, and a scan from the start steps over all
 * of them: after 400,000 jobs it takes 100 ms. So if two full scans in a row were slow for what they returned, the next scans
 * start where the last one ended. A job below the floor (of a higher priority, or committed late) waits for the next full
 * scan; full scans take at most a twentieth of the time. Without such a snapshot every scan is full.
 *
 * <p>While floors are in use they are stored in the database, for processes that start.
 */
final class ScanFloors {
    private static final Duration SLOW = Duration.ofMillis(15);
    private static final Duration SLOW_PER_JOB = Duration.ofNanos(25_000);
    private static final int FULL_SCAN_RATIO = 20;
    private static final Duration SHORTEST = Duration.ofSeconds(3);
    // However slow one scan was, a job below the floor must not wait longer.
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration STORE_INTERVAL = Duration.ofSeconds(1);

    private final Map<String, String> floors = new HashMap<>();
    private long nextFullNanos;
    private long storedNanos = System.nanoTime() - STORE_INTERVAL.toNanos();
    private boolean raised;
    /** A single slow scan proves nothing: the machine may have been busy. */
    private boolean suspected;

    /**
     * Floors for other processes to start with.
     *
     * @param untilFull how long until a full scan is due
     */
    record Snapshot(Map<String, String> floors, Duration untilFull) {}

    /** Starts with the floors that another process has stored. */
    void start(Snapshot stored, long now) {
        if (!stored.floors().isEmpty()) {
            floors.putAll(stored.floors());
            nextFullNanos = now + stored.untilFull().toNanos();
            raised = true;
        }
    }

    Map<String, String> now(long nanos) {
        return raised && nanos - nextFullNanos < 0 ? Map.copyOf(floors) : Map.of();
    }

    boolean isRaised() {
        return raised;
    }

    /** Records a scan and the jobs it returned, in their order. */
    void scanned(boolean full, List<LeasedJob> found, long took, long endedNanos) {
        found.forEach(job -> floors.put(job.kind(), job.orderAt()));
        if (full) {
            boolean slow = took > SLOW.toNanos() + found.size() * SLOW_PER_JOB.toNanos();
            raised = slow && (raised || suspected);
            suspected = slow;
            nextFullNanos = endedNanos + Math.clamp(FULL_SCAN_RATIO * took, SHORTEST.toNanos(), LONGEST.toNanos());
        }
    }

    /** What to store now; empty while every scan is full, and for a second after the last call that returned floors. */
    Optional<Snapshot> toStore(long now) {
        Map<String, String> used = now(now);
        if (used.isEmpty() || now - storedNanos < STORE_INTERVAL.toNanos()) {
            return Optional.empty();
        }
        storedNanos = now;
        return Optional.of(new Snapshot(used, Duration.ofNanos(nextFullNanos - now)));
    }
}
