package dev.oneroof.core.tail.source;

import dev.oneroof.core.expression.Expression;
import dev.oneroof.core.expression.ExpressionCheck;
import dev.oneroof.postgres.Tx;

/** Tries a source's filter on the server, without reading a row. */
final class FilterCheck {
    private static final String INSTEAD =
            "name a column that the writers move when the condition begins to hold, or put the condition into the worker's own SQL or handler";

    private final ExpressionCheck expressions = new ExpressionCheck();
    private final TableStore tables = new TableStore();

    /** Throws when rows could begin to match the source's filter without being read again. */
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
        tables.explain(tx, source.relation(), filter);
    }
}
