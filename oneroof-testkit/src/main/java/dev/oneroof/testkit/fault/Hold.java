package dev.oneroof.testkit.fault;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** A valve in one direction of a proxy. */
final class Hold {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean closed;

    void set(boolean close) {
        lock.lock();
        try {
            closed = close;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets those who wait look again whether they still want to. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when the valve is open, or when there is nothing more to wait for. */
    void pass(BooleanSupplier givenUp) {
        lock.lock();
        try {
            while (closed && !givenUp.getAsBoolean()) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }
}
