package dev.oneroof.database;

import java.util.regex.Pattern;

/**
 * The schema that holds OneRoof's tables. Statements are written with the default name, {@code oneroof.some_table}, so
 * that they can be pasted into psql as they stand; here they are turned to the configured one. A search_path would do
 * it more quietly, and would be lost behind a pooling proxy.
 */
public record SchemaName(String value) {
    public static final SchemaName DEFAULT = new SchemaName("oneroof");

    // A quoted identifier ends in '"', so a user's own schema that happens to be called oneroof is never touched.
    private static final Pattern WRITTEN = Pattern.compile("\\boneroof\\.");

    public SchemaName {
        Identifiers.checked("db.schema", value);
    }

    public String quoted() {
        return Identifiers.quote("db.schema", value);
    }

    String applyTo(String sql) {
        return equals(DEFAULT)
                ? sql
                : WRITTEN.matcher(sql).replaceAll(java.util.regex.Matcher.quoteReplacement(quoted() + "."));
    }

    @Override
    public String toString() {
        return value;
    }
}
