package dev.oneroof.core.tabletail;

import dev.oneroof.core.expression.Expression;
import dev.oneroof.core.expression.ExpressionCheck;
import dev.oneroof.postgres.Tx;

/** Tries a source's filter on the server, without reading a row. */
final class FilterCheck {
    private static final String EXPLAIN = "EXPLAIN (FORMAT JSON, COSTS OFF) ";

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
        // As its pages read it, with all that stands between a text and the server.
        tx.asWritten()
                .query(EXPLAIN + new KeysetPage(source, false, null, null, null, 1).select("1"))
                .mapTo(String.class)
                .one();
    }
}
