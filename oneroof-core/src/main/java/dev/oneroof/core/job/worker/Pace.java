package dev.oneroof.core.job.worker;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * How long the handlers of a kind take of late, and so how many jobs to have ready for them. By their own time, and not by how
 * many ended lately: sixteen slow ones that end together are not a quick kind.
 */
final class Pace {
    private static final int MOST = 2000;
    private static final Duration AHEAD = Duration.ofMillis(250);
    private static final Duration LOOKED_AT_EVERY = Duration.ofMillis(20);

    private final int atOnce;
    private final LongAdder ended = new LongAdder();
    private final LongAdder spentNanos = new LongAdder();
    private long lookedNanos;
    private long endedNanos;
    /** Zero while none has ended. */
    private double meanNanos;

    Pace(int atOnce, long now) {
        this.atOnce = atOnce;
        this.lookedNanos = now;
        this.endedNanos = now;
    }

    /** A handler is through. Called by many threads; the rest by one at a time. */
    void ended(long nanos) {
        ended.increment();
        spentNanos.add(nanos);
    }

    /**
     * How many last for a quarter of a second; none where a handler takes longer than that, or none has ended for so long.
     *
     * @param isBusy whether there is any job in hand
     */
    int ahead(long now, boolean isBusy) {
        if (now - lookedNanos >= LOOKED_AT_EVERY.toNanos()) {
            look(now, isBusy);
        }
        if (meanNanos == 0 || meanNanos > AHEAD.toNanos() || now - endedNanos > AHEAD.toNanos()) {
            return 0;
        }
        return (int) Math.min(MOST, atOnce * (AHEAD.toNanos() / meanNanos));
    }

    private void look(long now, boolean isBusy) {
        lookedNanos = now;
        long many = ended.sumThenReset();
        double took = spentNanos.sumThenReset();
        if (many > 0) {
            // What a sum has not seen yet of a handler that is just ending, the next one has.
            double mean = Math.max(1, took / many);
            meanNanos = meanNanos == 0 ? mean : (meanNanos + mean) / 2;
        }
        if (many > 0 || !isBusy) {
            endedNanos = now;
        }
    }
}
