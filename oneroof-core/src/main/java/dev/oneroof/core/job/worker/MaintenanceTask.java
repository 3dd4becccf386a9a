package dev.oneroof.core.job.worker;

import java.time.Duration;

/** A periodic task of {@link JobKeeper}, run in one instance at a time. */
@FunctionalInterface
public interface MaintenanceTask {
    /** Does what is due, and returns when to run it next; zero is immediately. */
    Duration run();
}
