package dev.oneroof.core.tail.source;

import dev.oneroof.core.expression.Expression;
import dev.oneroof.core.expression.ExpressionCheck;
import dev.oneroof.postgres.Tx;

/** Tries a source's filter on the server, without reading a row. */
final class FilterCheck {
    private static final String EXPLAIN = "EXPLAIN (FORMAT JSON, COSTS OFF) SELECT 1 FROM %s WHERE (%s)";

    private static final String INSTEAD =
            "name a column that the writers move when the condition begins to hold, or put the condition into the worker's own SQL or handler";

    private final ExpressionCheck expressions = new ExpressionCheck();

    /** Throws when the source has a filter that rows could begin to match without being read again. */
    void demand(Tx tx, TailSource source) {
        String filter = source.filter();
        if (filter == null) {
            return;
        }
        expressions.demand(
                tx,
                new Expression(
                        "filter",
                        filter,
                        source.relation().schema(),
                        source.relation().table(),
                        "boolean",
                        INSTEAD));
        // In parentheses, as the pages read it: text that closes them early does not parse here either.
        tx.asWritten()
                .query(EXPLAIN.formatted(source.relation().quoted(), filter))
                .mapTo(String.class)
                .one();
    }
}
