package dev.oneroof.testkit.check;

/**
 * A truth about the data at rest, as a query that must find no row.
 *
 * @param name what is broken when a row is found, as one word with underscores
 * @param table the table it speaks about, with its schema; where that does not exist the invariant is not asked
 * @param query the rows that must not be
 */
public record Invariant(String name, String table, String query) {}
