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

    /** The idempotency key; null where there is none. */
    @Nullable
    String key();

    @Nullable
    UUID run();

    /** Whether somebody wants it given up, or it is not ours any more. The handler's thread is interrupted, too. */
    boolean isCancelled();

    /**
     * Keeps a line for those who look: a moment later, in a transaction that is not the handler's, so that it stays where
     * the job fails. Up to a thousand of an attempt are kept, and 500 characters of each.
     */
    void say(String line);

    /** As {@link #say}, with how far it is, from 0 to 100. */
    void progress(int percent, String line);
}
