package dev.oneroof.core.job.worker;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many jobs of a kind to prefetch: as many as its handlers run in 250 ms. Measured by the recent run time of handlers, not
 * by how many ended recently: sixteen slow ones that end together do not make a fast kind.
 */
final class PrefetchSizer {
    private static final int MOST = 2000;
    private static final Duration PREFETCHED = Duration.ofMillis(250);
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(20);

    private final int atOnce;
    private final LongAdder ended = new LongAdder();
    private final LongAdder spentNanos = new LongAdder();
    private long sampledNanos;
    private long endedNanos;
    /** Zero until the first handler has ended. */
    private double meanNanos;

    PrefetchSizer(int atOnce, long now) {
        this.atOnce = atOnce;
        this.sampledNanos = now;
        this.endedNanos = now;
    }

    /** A handler has ended. Called by many threads; all else is called by one at a time. */
    void ended(long nanos) {
        ended.increment();
        spentNanos.add(nanos);
    }

    /**
     * How many jobs last for 250 ms; none if a handler takes longer, or none has ended in that time.
     *
     * @param isBusy whether any job is in flight
     */
    int size(long now, boolean isBusy) {
        if (now - sampledNanos >= SAMPLE_INTERVAL.toNanos()) {
            sample(now, isBusy);
        }
        if (meanNanos == 0 || meanNanos > PREFETCHED.toNanos() || now - endedNanos > PREFETCHED.toNanos()) {
            return 0;
        }
        return (int) Math.min(MOST, atOnce * (PREFETCHED.toNanos() / meanNanos));
    }

    private void sample(long now, boolean isBusy) {
        sampledNanos = now;
        long count = ended.sumThenReset();
        double spent = spentNanos.sumThenReset();
        if (count > 0) {
            // The two sums are not read atomically: what this sample misses, the next one has.
            double mean = Math.max(1, spent / count);
            meanNanos = meanNanos == 0 ? mean : (meanNanos + mean) / 2;
        }
        if (count > 0 || !isBusy) {
            endedNanos = now;
        }
    }
}
