package dev.oneroof.core.tail;

import java.time.Duration;

/**
 * Decides how many rows a batch takes. A batch that failed because of a row is halved into smaller commits until the
 * row is isolated; the rows before it are handled on the way. One bad row among thousands costs a dozen attempts.
 */
final class BatchSizer {
    private static final int NONE = 0;
    private static final Duration SLOW_FOR = Duration.ofMinutes(10);

    private int limit = Integer.MAX_VALUE;
    /** One of this many next rows is bad. */
    private int suspects = NONE;

    private boolean isolated;
    private boolean everSlow;
    private long slowNanos;
    private int timeouts;

    /** How many rows to take now. */
    int limit(int batchSize) {
        limit = Math.min(limit, batchSize);
        return suspects == NONE ? limit : Math.clamp(suspects / 2, 1, limit);
    }

    /** Whether one of the next rows is known to be bad. */
    boolean isSearching() {
        return suspects != NONE;
    }

    /** The next row failed by itself and is to be set aside. */
    boolean isRowIsolated() {
        return isolated;
    }

    void succeeded(long rows, boolean full) {
        timeouts = 0;
        if (isolated || !full) {
            suspects = NONE;
            isolated = false;
        } else if (suspects != NONE) {
            // At zero no row is suspect any more: the cause has gone.
            suspects = (int) Math.max(NONE, suspects - rows);
        } else {
            limit = Math.min(limit, Integer.MAX_VALUE / 2) * 2;
        }
    }

    /** A batch of at most this many rows failed because of one of them. */
    void failed(long tried) {
        if (tried <= 1) {
            isolated = true;
        }
        suspects = Math.clamp(tried, 1, Integer.MAX_VALUE);
    }

    /** Whether a batch took too long in the last ten minutes. */
    boolean isSlow() {
        return everSlow && System.nanoTime() - slowNanos < SLOW_FOR.toNanos();
    }

    /** A batch took too long. False when a single row has taken too long three times: then the row is bad. */
    boolean timedOut(int tried) {
        everSlow = true;
        slowNanos = System.nanoTime();
        if (tried > 1) {
            limit = tried / 2;
            suspects = NONE;
            return true;
        }
        timeouts++;
        return timeouts < 3;
    }
}
