package dev.oneroof.core.job;

import org.jspecify.annotations.Nullable;

/**
 * A line that a handler logs for its job.
 *
 * @param percent the progress; null if the handler gave none
 */
public record JobLogLine(
        LeasedJob job, String text, @Nullable Integer percent) {}
