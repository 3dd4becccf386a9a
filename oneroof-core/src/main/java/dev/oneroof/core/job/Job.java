package dev.oneroof.core.job;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job as its handler sees it. */
public interface Job {
    JobId id();

    String kind();

    /** The JSON object that it was enqueued with. */
    String payload();

    /** 1 for the first. */
    int attempt();

    int maxAttempts();

    /** The idempotency key; null if there is none. */
    @Nullable
    String key();

    @Nullable
    UUID run();

    /** Whether it should stop: cancelled, lost, past its deadline, or at shutdown. The handler's thread is interrupted as well. */
    boolean isCancelled();

    /**
     * Writes a log line: a moment later, in another transaction than the handler's, so that it stays if the job fails. Up to
     * 1000 lines of an attempt are kept, and 500 characters of each.
     */
    void say(String line);

    /** As {@link #say}, with the progress from 0 to 100. */
    void progress(int percent, String line);
}
