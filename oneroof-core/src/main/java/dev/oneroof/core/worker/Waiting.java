package dev.oneroof.core.worker;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The one place where background work waits. A stop ends every wait at once, a wake-up ends the current or the next one. */
public final class Waiting {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean stopped;
    private boolean woken;
    /** Whether a wake-up is set for later. */
    private boolean wokenLater;
    /** When that is. */
    private long laterNanos;

    public boolean isStopped() {
        return stopped;
    }

    public void stop() {
        lock.lock();
        try {
            stopped = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the current wait, or the next one. Two wake-ups before a wait count as one. */
    public void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #wake}, after a while. Of two, the earlier one counts. */
    void wakeIn(Duration after) {
        lock.lock();
        try {
            long then = System.nanoTime() + after.toNanos();
            if (!wokenLater || then - laterNanos < 0) {
                wokenLater = true;
                laterNanos = then;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits; returns false after a stop or an interrupt. */
    public boolean pause(Duration duration) {
        return rest(duration, true) != Rest.STOPPED;
    }

    /** How a wait ended. */
    enum Rest {
        OVER,
        WOKEN,
        STOPPED
    }

    /** Waits; a wake-up ends the wait if it is wakeable, and is kept for the next one if not. */
    Rest rest(Duration duration, boolean wakeable) {
        lock.lock();
        try {
            long end = System.nanoTime() + duration.toNanos();
            for (long left = duration.toNanos();
                    !stopped && !(isWoken() && wakeable) && left > 0;
                    left = end - System.nanoTime()) {
                changed.awaitNanos(wokenLater && wakeable ? Math.min(left, laterNanos - System.nanoTime()) : left);
            }
            if (stopped) {
                return Rest.STOPPED;
            }
            if (wakeable && isWoken()) {
                woken = false;
                return Rest.WOKEN;
            }
            return Rest.OVER;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped = true;
            return Rest.STOPPED;
        } finally {
            lock.unlock();
        }
    }

    /** A wake-up that was set for later counts from its time on. */
    private boolean isWoken() {
        if (wokenLater && System.nanoTime() - laterNanos >= 0) {
            wokenLater = false;
            woken = true;
        }
        return woken;
    }
}
