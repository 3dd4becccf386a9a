package dev.oneroof.core.worker;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The one place where background work waits; a stop ends every wait at once, a wake-up the one that is or comes next. */
public final class Waiting {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean stopped;
    private boolean woken;
    private boolean wokenLater;
    /** When, where there is one that comes later. */
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

    /** There may be something to do before the time is over. Two before a wait count as one. */
    public void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #wake}, after a while. Of two that are to come the earlier one counts. */
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

    /** Waits, and returns false when there is nothing to wait for any more because of a stop or an interrupt. */
    public boolean pause(Duration duration) {
        return rest(duration, true) != Rest.STOPPED;
    }

    /** How a wait ended. */
    enum Rest {
        OVER,
        WOKEN,
        STOPPED
    }

    /** Waits; a wake-up ends it where it may, and is kept for later where it may not. */
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

    /** A time that has come is a wake-up like any other. */
    private boolean isWoken() {
        if (wokenLater && System.nanoTime() - laterNanos >= 0) {
            wokenLater = false;
            woken = true;
        }
        return woken;
    }
}
