package dev.oneroof.core.job;

/**
 * What became of an enqueue.
 *
 * @param id of the new job, or of the one that bears its key already
 * @param isNew false where such a job was alive
 */
public record Enqueued(JobId id, boolean isNew) {}
