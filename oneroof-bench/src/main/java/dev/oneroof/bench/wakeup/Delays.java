package dev.oneroof.bench.wakeup;

import java.util.Arrays;
import java.util.stream.IntStream;

/** When each event was sent, and when it came. */
final class Delays {
    private final long[] sentNanos;
    private final long[] cameNanos;

    Delays(int events) {
        this.sentNanos = new long[events];
        this.cameNanos = new long[events];
    }

    synchronized void sent(int event) {
        sentNanos[event] = System.nanoTime();
    }

    /** Only the first time counts. */
    synchronized void came(int event) {
        if (event >= 0 && event < cameNanos.length && cameNanos[event] == 0) {
            cameNanos[event] = System.nanoTime();
        }
    }

    synchronized boolean hasCome(int event) {
        return cameNanos[event] != 0;
    }

    synchronized long missing() {
        return Arrays.stream(cameNanos).filter(nanos -> nanos == 0).count();
    }

    /** Milliseconds, of those that came. */
    synchronized double percentile(double share) {
        return percentile(
                share,
                IntStream.range(0, cameNanos.length)
                        .filter(event -> cameNanos[event] != 0)
                        .mapToDouble(event -> (cameNanos[event] - sentNanos[event]) / 1e6)
                        .sorted()
                        .toArray());
    }

    /** The least of them that so large a share does not exceed. */
    static double percentile(double share, double[] sorted) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.max(0, Math.ceil(sorted.length * share) - 1)];
    }
}
