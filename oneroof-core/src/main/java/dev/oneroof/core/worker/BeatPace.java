package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Beat;
import org.jspecify.annotations.Nullable;

/**
 * When a worker's next beat is due. Every beat is a new version of its row, which an open snapshot keeps and every read of
 * the row steps over. So a changed state is sent early, but within a budget: a worker that alternates between healthy and
 * failing soon beats hardly more often than a steady one. Renewals of a long pass count as well.
 */
final class BeatPace {
    /** So many changes in a row are sent early. */
    static final int EARLY_BEATS = 10;
    /** The budget gains one early beat in the time of so many steady beats. */
    static final int STEADY_PER_EARLY = 4;

    private final long earlyNanos;
    private final long steadyNanos;
    private long sentNanos;
    private long budgetNanos;
    private @Nullable Beat sent;

    BeatPace(LoopConfig config, long nowNanos) {
        earlyNanos = config.beatInterval().toNanos();
        steadyNanos = config.steadyBeat().toNanos();
        budgetNanos = fullBudget();
        reset(nowNanos);
    }

    /** The lease is new: its first beat is due. */
    synchronized void reset(long nowNanos) {
        sentNanos = nowNanos - earlyNanos;
        sent = null;
    }

    /** Whether no beat was sent under this lease yet. */
    synchronized boolean isFirst() {
        return sent == null;
    }

    synchronized boolean isDue(Beat beat, long nowNanos) {
        long since = nowNanos - sentNanos;
        return sent == null
                || since >= steadyNanos
                || (since >= earlyNanos && beat.isNewsAfter(sent) && budgetNanos >= earlyCost());
    }

    synchronized void sent(Beat beat, long nowNanos) {
        long since = nowNanos - sentNanos;
        budgetNanos = Math.min(fullBudget(), budgetNanos + since) - (since < steadyNanos ? earlyCost() : 0);
        sentNanos = nowNanos;
        sent = beat;
    }

    /** Until the beat that is due even without a change; zero or less when it is overdue. */
    synchronized long untilSteadyNanos(long nowNanos) {
        return sentNanos + steadyNanos - nowNanos;
    }

    /** Whether a whole steady interval has passed since the beat was due. */
    boolean isOverdue(long nowNanos) {
        return untilSteadyNanos(nowNanos) < -steadyNanos;
    }

    private long earlyCost() {
        return STEADY_PER_EARLY * steadyNanos;
    }

    private long fullBudget() {
        return EARLY_BEATS * earlyCost();
    }
}
