package dev.oneroof.core.expression;

import org.jspecify.annotations.Nullable;

/**
 * An SQL expression over the columns of one table, as a user has written it: a filter, a match, a mapping.
 *
 * @param field what a message calls it
 * @param type the type that it must give, as PostgreSQL writes it; null for any
 * @param instead what to do where an expression of this kind cannot do it
 */
public record Expression(
        String field,
        String text,
        String schema,
        String table,
        @Nullable String type,
        String instead) {
    public static final int LONGEST = 4000;

    private static final int SHOWN = 200;

    /** The text for a message. */
    String shown() {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }
}
