package dev.oneroof.core.worker;

import java.time.Duration;
import java.util.function.Supplier;

/** For how long the current pass has been running. The loop writes it, the instance's thread reads it. */
final class PassClock {
    /** Zero while no pass runs. */
    private volatile long startedNanos;

    /** The pass that was last reported as stuck, by its start. Used by the instance's thread only. */
    private long reportedNanos;

    <R> R time(Supplier<R> work) {
        startedNanos = System.nanoTime();
        try {
            return work.get();
        } finally {
            startedNanos = 0;
        }
    }

    /** Zero while no pass runs. */
    Duration running() {
        long started = startedNanos;
        return started == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - started);
    }

    /** Reports a pass at most once; one that could not be reported is tried again. */
    void reportOnce(Supplier<Boolean> report) {
        long started = startedNanos;
        if (started != 0 && reportedNanos != started && report.get()) {
            reportedNanos = started;
        }
    }
}
