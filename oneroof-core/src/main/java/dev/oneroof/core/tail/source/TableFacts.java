package dev.oneroof.core.tail.source;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The catalog data of a table, as seen by the present role.
 *
 * @param kind {@code pg_class.relkind}
 * @param system whether it is a system table
 * @param rowsHidden whether row-level security may hide rows from this role
 * @param inherited whether other tables inherit from it, other than as partitions
 * @param foreignParts whether a partition is on another server
 * @param unlogged whether it, or a partition, is emptied by a crash
 */
record TableFacts(
        long oid,
        String kind,
        boolean temporary,
        boolean system,
        boolean readable,
        boolean rowsHidden,
        boolean inherited,
        boolean foreignParts,
        boolean unlogged) {

    /**
     * A column.
     *
     * @param type its type as PostgreSQL writes it, without a length
     * @param defaultExpression null also where the column is generated from others
     */
    record Column(String type, boolean notNull, @Nullable String defaultExpression) {}

    /** A whole index over plain columns. */
    record Index(boolean unique, List<String> columns) {}
}
