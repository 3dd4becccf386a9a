package dev.oneroof.core.tail.source;

import org.jspecify.annotations.Nullable;

/**
 * A source as an operator names it; the types come from the table. Names are written as in SQL: folded to lower case
 * unless in double quotes.
 *
 * @param table with or without its schema
 * @param contract null for the one that the columns seem to keep
 */
public record SourceOutline(
        String name,
        String table,
        String idColumn,
        @Nullable String timeColumn,
        @Nullable String zone,
        @Nullable OrderContract contract) {}
