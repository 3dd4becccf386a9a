package dev.oneroof.core.sqlworker;

import dev.oneroof.postgres.Tx;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Asks the server what a statement would do. */
final class StatementCheckStore {
    private static final String EXPLAIN = "EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) ";

    private static final String WRITTEN = """
            SELECT DISTINCT format('%I.%I', n.node ->> 'Schema', n.node ->> 'Relation Name')
            FROM jsonb_path_query(CAST(:plan AS jsonb), 'strict $.** ? (@."Node Type" == "ModifyTable")') n (node)
            WHERE n.node ->> 'Schema' = :schema
            ORDER BY 1
            """;

    // Those left out have no effect, or one that ends with the transaction, or, like a sequence, one that is harmless.
    private static final String VOLATILE = """
            SELECT DISTINCT p.proname::text
            FROM pg_catalog.pg_proc p
            WHERE p.pronamespace = 'pg_catalog'::regnamespace
              AND p.provolatile = 'v'
              AND p.prokind = 'f'
              AND p.proname = ANY (CAST(:names AS text[]))
              AND p.proname NOT IN ('random', 'random_normal', 'gen_random_uuid', 'uuidv4', 'uuidv7', 'clock_timestamp',
                                    'timeofday', 'nextval', 'currval', 'lastval')
            ORDER BY 1
            """;

    String explain(Tx tx, String sql, Map<String, Object> parameters) {
        return String.join(
                "\n",
                tx.asWritten()
                        .query(EXPLAIN + sql)
                        .bindMap(parameters)
                        .mapTo(String.class)
                        .list());
    }

    /** The tables of this schema that a plan writes. */
    List<String> writtenTables(Tx tx, String plan, String schema) {
        return tx.query(WRITTEN)
                .bind("plan", plan)
                .bind("schema", schema)
                .mapTo(String.class)
                .list();
    }

    /** Those of these names that PostgreSQL's own volatile functions have. */
    List<String> volatileBuiltIns(Tx tx, Collection<String> names) {
        return tx.query(VOLATILE)
                .bind("names", names.toArray(String[]::new))
                .mapTo(String.class)
                .list();
    }

    String currentRole(Tx tx) {
        return tx.query("SELECT current_user").mapTo(String.class).one();
    }
}
