package dev.oneroof.core.worker;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The one place where background work waits; a stop ends every wait at once. */
public final class Waiting {
    private final CountDownLatch stopped = new CountDownLatch(1);

    public boolean isStopped() {
        return stopped.getCount() == 0;
    }

    public void stop() {
        stopped.countDown();
    }

    /** Waits, and returns false when there is nothing to wait for any more because of a stop or an interrupt. */
    public boolean pause(Duration duration) {
        try {
            return !stopped.await(duration.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stop();
            return false;
        }
    }
}
