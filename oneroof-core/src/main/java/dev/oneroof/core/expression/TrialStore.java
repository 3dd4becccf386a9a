package dev.oneroof.core.expression;

import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.Tx;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A temporary table of the same shape as another, on which expressions are tried as generated columns. All of it is gone
 * when the savepoint around it is rolled back.
 *
 * <p>A user's text is sent to the server unchanged, in statements of its own.
 */
final class TrialStore {
    private static final String TYPE_TABLE = "pg_temp.oneroof_trial_type";

    // Under its own name, so that columns may be written with it. Generated columns become plain ones.
    private static final String CREATE = "CREATE TEMPORARY TABLE %s (LIKE %s)";

    // Nothing is planned or read: the columns come from the query as it is parsed.
    private static final String TYPE = """
            CREATE TEMPORARY TABLE %s AS
            SELECT (%s) AS value FROM %s
            WITH NO DATA
            """;

    // By name with its schema, and a domain by what it is made of: its checks are not what is tried.
    private static final String TYPE_FOUND = """
            WITH RECURSIVE bases AS (
                SELECT t.oid, t.typbasetype, t.typtype
                FROM pg_catalog.pg_attribute a
                JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
                WHERE a.attrelid = CAST(:table AS regclass) AND a.attname = 'value'
                UNION ALL
                SELECT t.oid, t.typbasetype, t.typtype
                FROM bases b
                JOIN pg_catalog.pg_type t ON t.oid = b.typbasetype
                WHERE b.typtype = 'd'
            )
            SELECT format('%I.%I', n.nspname, t.typname) AS name,
                   CASE
                       WHEN n.nspname = 'pg_catalog' THEN pg_catalog.format_type(t.oid, NULL)
                       ELSE format('%I.%I', n.nspname, t.typname)
                   END AS shown
            FROM bases b
            JOIN pg_catalog.pg_type t ON t.oid = b.oid
            JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
            WHERE b.typtype <> 'd'
            """;

    private static final String ADD = "ALTER TABLE %s ADD COLUMN %s %s GENERATED ALWAYS AS (%s) STORED";

    private static final String STORED = """
            SELECT pg_catalog.regexp_replace(CAST(d.adbin AS text), ':location -?[0-9]+', '', 'g')
            FROM pg_catalog.pg_attribute a
            JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attrelid = CAST(:table AS regclass) AND a.attname = :column
            """;

    // What the server ships with is pinned and leaves no trace here, or lies in pg_catalog. Version 14 writes down
    // what a generated column depends on for the column, later ones for its expression. A type that is read or written
    // by a function of its own, and a domain with its checks, run code of a user's.
    private static final String FOREIGN = """
            SELECT i.type || ' ' || i.identity
            FROM pg_catalog.pg_attribute a
            JOIN pg_catalog.pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
            JOIN pg_catalog.pg_depend d
                ON (d.classid = 'pg_catalog.pg_attrdef'::regclass AND d.objid = f.oid)
                OR (d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = a.attrelid AND d.objsubid = a.attnum)
            CROSS JOIN LATERAL pg_catalog.pg_identify_object(d.refclassid, d.refobjid, 0) i
            LEFT JOIN pg_catalog.pg_type t ON d.refclassid = 'pg_catalog.pg_type'::regclass AND t.oid = d.refobjid
            LEFT JOIN pg_catalog.pg_proc io ON io.oid = t.typinput
            WHERE a.attrelid = CAST(:table AS regclass) AND a.attname = :column
              AND CASE d.refclassid
                      WHEN 'pg_catalog.pg_class'::regclass THEN d.refobjid <> a.attrelid
                      WHEN 'pg_catalog.pg_collation'::regclass THEN false
                      WHEN 'pg_catalog.pg_type'::regclass THEN
                          t.oid <> a.atttypid
                          AND (t.typtype = 'd' OR io.pronamespace <> 'pg_catalog'::regnamespace)
                      ELSE i.schema IS DISTINCT FROM 'pg_catalog'
                  END
            ORDER BY d.refclassid = 'pg_catalog.pg_type'::regclass, 1
            LIMIT 1
            """;

    // Their output functions are declared IMMUTABLE, and yet write as bytea_output or extra_float_digits say. A domain
    // has
    // the output function of what it is made of. A function in SQL that is not IMMUTABLE (text || anything,
    // quote_literal)
    // is accepted where it is after the server has put its body in its place.
    private static final String WRITTEN_BY_SETTINGS = """
            SELECT CASE
                       WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN pg_catalog.format_type(t.oid, NULL)
                       ELSE format('%I.%I', n.nspname, t.typname)
                   END
            FROM unnest(CAST(:functions AS oid[]), CAST(:types AS oid[])) WITH ORDINALITY w (function, type, place)
            JOIN pg_catalog.pg_type t ON t.oid = w.type
            JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
            JOIN pg_catalog.pg_proc o ON o.oid = t.typoutput AND o.pronamespace = 'pg_catalog'::regnamespace
            LEFT JOIN pg_catalog.pg_proc f ON f.oid = w.function
            WHERE o.proname IN (
                      'byteaout', 'float4out', 'float8out', 'point_out', 'lseg_out', 'path_out', 'box_out', 'poly_out',
                      'line_out', 'circle_out', 'cash_out', 'interval_out')
              AND (w.function = 0 OR f.provolatile <> 'i')
            ORDER BY w.place
            LIMIT 1
            """;

    private static final String ROLE_AND_DATABASE =
            "SELECT quote_ident(current_database()) || ' TO ' || quote_ident(current_user)";

    /** A type, by its name with the schema, and for a reader. */
    record Type(String name, String shown) {}

    private final String table;

    TrialStore(String tableName) {
        this.table = "pg_temp." + Identifiers.quote("table", tableName);
    }

    void create(Tx tx, String schema, String tableName) {
        tx.verbatim(CREATE.formatted(
                table, Identifiers.quote("schema", schema) + "." + Identifiers.quote("table", tableName)));
    }

    /** What the expression gives; nothing is read for it. */
    Type type(Tx tx, String expression) {
        tx.verbatim(TYPE.formatted(TYPE_TABLE, expression, table));
        return tx.query(TYPE_FOUND)
                .bind("table", TYPE_TABLE)
                .map((row, context) -> new Type(row.getString("name"), row.getString("shown")))
                .one();
    }

    void add(Tx tx, String column, String type, String expression) {
        tx.verbatim(ADD.formatted(table, column, type, expression));
    }

    /** The expression as the server has understood it, with its constants. */
    String stored(Tx tx, String column) {
        return tx.query(STORED)
                .bind("table", table)
                .bind("column", column)
                .mapTo(String.class)
                .one();
    }

    /** Something of a user's own that it is made with: a function, an operator, a domain. */
    Optional<String> foreign(Tx tx, String column) {
        return tx.query(FOREIGN)
                .bind("table", table)
                .bind("column", column)
                .mapTo(String.class)
                .findOne();
    }

    /** The type of a value in it whose text depends on settings of the session. */
    Optional<String> writtenBySettings(Tx tx, List<StoredTree.Written> written) {
        return tx.query(WRITTEN_BY_SETTINGS)
                .bind("functions", array(written, StoredTree.Written::function))
                .bind("types", array(written, StoredTree.Written::type))
                .mapTo(String.class)
                .findOne();
    }

    private static String array(List<StoredTree.Written> written, Function<StoredTree.Written, String> oid) {
        return written.stream().map(oid).collect(Collectors.joining(",", "{", "}"));
    }

    /** Until the savepoint is rolled back. */
    void set(Tx tx, Map<String, String> settings) {
        settings.forEach((name, value) -> tx.query("SELECT set_config(:name, :value, true)")
                .bind("name", name)
                .bind("value", value)
                .mapTo(String.class)
                .one());
    }

    String databaseToRole(Tx tx) {
        return tx.query(ROLE_AND_DATABASE).mapTo(String.class).one();
    }
}
