package dev.oneroof.core.job.worker;

import java.time.Duration;

/** What else is done for the queue, in one instance at a time. */
@FunctionalInterface
public interface Chore {
    /** Does what is due, and returns in how long to come back. */
    Duration run();
}
