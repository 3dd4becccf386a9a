package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Tries a source's filter on the server, without reading a row. */
final class FilterCheck {
    private static final String EXPLAIN = "EXPLAIN (FORMAT JSON, COSTS OFF) ";

    // The planner merges a subquery into the query around it, unless one of its columns is volatile. So the plan tells
    // what no catalog does.
    private static final String PROBE = EXPLAIN + """
            SELECT 1
            FROM (SELECT (%s) AS kept FROM %s) oneroof_filter_probe
            WHERE oneroof_filter_probe.kept
            """;

    /** Throws when the source has a filter that its pages could not be read with. */
    void demand(Tx tx, TailSource source) {
        String filter = source.filter();
        if (filter == null) {
            return;
        }
        String flaw = FilterText.flaw(filter);
        if (flaw != null) {
            throw refused(filter, flaw, null);
        }
        explain(tx, filter, EXPLAIN + new KeysetPage(source, false, null, null, null, 1).select("1"));
        String plan =
                explain(tx, filter, PROBE.formatted(filter, source.relation().quoted()));
        if (plan.contains("\"oneroof_filter_probe\"")) {
            throw refused(filter, "it is volatile: a row that was left out once could be in the next time", null);
        }
    }

    private static String explain(Tx tx, String filter, String sql) {
        try {
            return tx.asWritten().query(sql).mapTo(String.class).one();
        } catch (JdbiException e) {
            String state = SqlState.of(e);
            if (state == null) {
                throw refused(filter, "a colon is taken for a parameter; write casts as ::type or CAST", e);
            }
            // 42: it is no condition on this table; 22, 0A: a value in it is none, or no such condition is supported.
            if (state.startsWith("42") || state.startsWith("22") || state.startsWith("0A")) {
                throw refused(filter, "the server says: " + reason(e), e);
            }
            throw e;
        }
    }

    private static String reason(Exception failure) {
        Throwable deepest = failure;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        String message = String.valueOf(deepest.getMessage());
        return message.lines().findFirst().orElse(message).replaceFirst("^[A-Z]+: ", "");
    }

    private static OneRoofException refused(String filter, String why, @Nullable Throwable cause) {
        return new OneRoofException(
                ErrorCode.INVALID_INPUT, "filter: '%s' is not allowed: %s".formatted(filter, why), cause);
    }
}
