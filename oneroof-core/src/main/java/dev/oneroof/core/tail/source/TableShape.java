package dev.oneroof.core.tail.source;

import org.jspecify.annotations.Nullable;

/**
 * The properties of a source's table that its pages depend on.
 *
 * @param partitioned whether partitions are to be pruned
 * @param untimed whether rows without a time are possible
 * @param collation the quoted collation of a text id; null for other types
 */
public record TableShape(
        boolean partitioned, boolean untimed, @Nullable String collation) {}
