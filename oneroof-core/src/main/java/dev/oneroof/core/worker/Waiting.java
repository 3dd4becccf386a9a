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
            long nanos = duration.toNanos();
            while (!stopped && !(woken && wakeable) && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            if (stopped) {
                return Rest.STOPPED;
            }
            if (woken && wakeable) {
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
}
