package dev.oneroof.core.job;

import org.jspecify.annotations.Nullable;

/**
 * A line that a handler logs for its job.
 *
 * @param percent how far the job is; null where the handler did not say
 */
public record JobLogLine(
        LeasedJob job, String text, @Nullable Integer percent) {}
