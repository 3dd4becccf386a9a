package dev.oneroof.core.tail.source;

import org.jspecify.annotations.Nullable;

/**
 * A worker that reads a source, or has done so.
 *
 * @param rowsSeen how many rows its cursor has handed out; 0 where it has no cursor yet
 * @param owner the instance that holds the lease; null where none does
 */
public record SourceUse(
        String worker, int shard, long rowsSeen, @Nullable String owner) {}
