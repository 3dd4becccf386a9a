package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Beat;
import org.jspecify.annotations.Nullable;

/**
 * When a worker beats next. Every beat is a version of its row that an open snapshot keeps, and a look at the row steps over
 * all of them. So news is told at once, but not for ever: a worker that is well and unwell by turns soon beats hardly more
 * often than one of whom there is no news. The renewals of a long pass, which come from beside, count as well.
 */
final class BeatPace {
    static final int NEWS_AT_ONCE = 10;
    /** One more is saved up in the time of so many steady beats. */
    static final int STEADY_PER_NEWS = 4;

    private final long newsNanos;
    private final long steadyNanos;
    private long toldNanos;
    private long savedNanos;
    private @Nullable Beat told;

    BeatPace(LoopConfig config, long nowNanos) {
        newsNanos = config.beatInterval().toNanos();
        steadyNanos = config.steadyBeat().toNanos();
        savedNanos = mostSaved();
        begin(nowNanos);
    }

    /** A lease is new: its first beat is due. */
    synchronized void begin(long nowNanos) {
        toldNanos = nowNanos - newsNanos;
        told = null;
    }

    synchronized boolean isDue(Beat beat, long nowNanos) {
        long since = nowNanos - toldNanos;
        return told == null
                || since >= steadyNanos
                || (since >= newsNanos && beat.isNewsAfter(told) && savedNanos >= newsCost());
    }

    synchronized void told(Beat beat, long nowNanos) {
        long since = nowNanos - toldNanos;
        savedNanos = Math.min(mostSaved(), savedNanos + since) - (since < steadyNanos ? newsCost() : 0);
        toldNanos = nowNanos;
        told = beat;
    }

    /** Until the beat that comes whatever there is to tell; not above zero when it should have come. */
    synchronized long untilSteadyNanos(long nowNanos) {
        return toldNanos + steadyNanos - nowNanos;
    }

    private long newsCost() {
        return STEADY_PER_NEWS * steadyNanos;
    }

    private long mostSaved() {
        return NEWS_AT_ONCE * newsCost();
    }
}
