package dev.oneroof.core.tabletail;

/**
 * How many rows a hand takes at once. A batch that failed for the fault of a row is halved into smaller commits until the
 * row stands alone; what lies before it is handled on the way. One bad row among thousands costs a dozen tries.
 */
final class Sizing {
    private static final int NOBODY = 0;

    private int limit = Integer.MAX_VALUE;
    /** Among the next so many rows one is bad. */
    private int suspects = NOBODY;

    private boolean alone;
    private int timeouts;

    /** The rows to take now. */
    int limit(int batchSize) {
        limit = Math.min(limit, batchSize);
        return suspects == NOBODY ? limit : Math.max(1, suspects / 2);
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
    void failed(int tried) {
        if (tried <= 1) {
            alone = true;
        }
        suspects = Math.max(1, tried);
    }

    /** A batch took too long. False when it cannot be smaller and that has happened before: then the row is bad. */
    boolean tookTooLong(int tried) {
        if (tried > 1) {
            limit = tried / 2;
            suspects = NOBODY;
            return true;
        }
        timeouts++;
        return timeouts < 3;
    }
}
