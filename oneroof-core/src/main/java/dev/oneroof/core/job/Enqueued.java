package dev.oneroof.core.job;

/**
 * The result of an enqueue.
 *
 * @param id of the new job, or of the live one that has its key
 * @param isNew false if the key was in use
 */
public record Enqueued(JobId id, boolean isNew) {}
