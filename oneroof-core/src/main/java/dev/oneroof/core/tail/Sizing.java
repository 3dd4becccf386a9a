package dev.oneroof.core.tail;

import java.time.Duration;

/**
 * How many rows a hand takes at once. A batch that failed for the fault of a row is halved into smaller commits until the
 * row stands alone; what lies before it is handled on the way. One bad row among thousands costs a dozen tries.
 */
final class Sizing {
    private static final int NOBODY = 0;
    private static final Duration SLOW_FOR = Duration.ofMinutes(10);

    private int limit = Integer.MAX_VALUE;
    /** Among the next so many rows one is bad. */
    private int suspects = NOBODY;

    private boolean alone;
    private boolean everSlow;
    private long slowNanos;
    private int timeouts;

    /** The rows to take now. */
    int limit(int batchSize) {
        limit = Math.min(limit, batchSize);
        return suspects == NOBODY ? limit : Math.clamp(suspects / 2, 1, limit);
    }

    /** Whether one of the next rows is known to be bad. */
    boolean isSearching() {
        return suspects != NOBODY;
    }

    /** The next row is to be set aside: it failed alone. */
    boolean isAlone() {
        return alone;
    }

    void succeeded(long rows, boolean full) {
        timeouts = 0;
        if (alone || !full) {
            suspects = NOBODY;
            alone = false;
        } else if (suspects != NOBODY) {
            // None left: whatever it was has gone by itself.
            suspects = (int) Math.max(NOBODY, suspects - rows);
        } else {
            limit = Math.min(limit, Integer.MAX_VALUE / 2) * 2;
        }
    }

    /** A batch of at most this many rows failed because of one of them. */
    void failed(long tried) {
        if (tried <= 1) {
            alone = true;
        }
        suspects = Math.clamp(tried, 1, Integer.MAX_VALUE);
    }

    /** Whether a batch took too long in the last minutes. */
    boolean isSlow() {
        return everSlow && System.nanoTime() - slowNanos < SLOW_FOR.toNanos();
    }

    /** A batch took too long. False when it cannot be smaller and that has happened before: then the row is bad. */
    boolean tookTooLong(int tried) {
        everSlow = true;
        slowNanos = System.nanoTime();
        if (tried > 1) {
            limit = tried / 2;
            suspects = NOBODY;
            return true;
        }
        timeouts++;
        return timeouts < 3;
    }
}
