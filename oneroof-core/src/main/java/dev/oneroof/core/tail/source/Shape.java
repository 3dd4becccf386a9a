package dev.oneroof.core.tail.source;

import org.jspecify.annotations.Nullable;

/**
 * What a source's table looks like now.
 *
 * @param partitioned whether partitions are to be pruned
 * @param untimed whether rows without a time can be there
 * @param collation the quoted collation of a text id; null for other types
 */
public record Shape(
        boolean partitioned, boolean untimed, @Nullable String collation) {}
