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

    /** Keeps a line for those who look. */
    void say(String line);

    /** Keeps how far it is, from 0 to 100. */
    void progress(int percent, String line);
}
