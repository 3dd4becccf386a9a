package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.Tx;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Reads the catalog data of a table that is or will be a source. */
final class TableStore {
    // Row-level security hides nothing where a permissive policy lets this role see every row and no restrictive one
    // takes rows away again.
    private static final String TABLE = """
            SELECT c.oid::bigint AS oid,
                   c.relkind::text AS kind,
                   c.relpersistence = 't' AS temporary,
                   n.nspname IN ('pg_catalog', 'information_schema', 'pg_toast') AS system,
                   has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS readable,
                   row_security_active(c.oid) AND NOT coalesce(policies.let_all, false) AS rows_hidden,
                   c.relkind = 'r'
                       AND EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid) AS inherited,
                   coalesce(parts.foreign_ones, false) AS foreign_parts,
                   c.relpersistence = 'u' OR coalesce(parts.unlogged_ones, false) AS unlogged
            FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN LATERAL (
                SELECT bool_or(p.polpermissive AND pg_get_expr(p.polqual, p.polrelid) = 'true')
                       AND NOT bool_or(NOT p.polpermissive) AS let_all
                FROM pg_catalog.pg_policy p
                WHERE p.polrelid = c.oid
                  AND p.polcmd IN ('r', '*')
                  AND EXISTS (
                      SELECT FROM unnest(p.polroles) r (oid)
                      WHERE CASE WHEN r.oid = 0 THEN true ELSE pg_has_role(r.oid, 'USAGE') END)) policies ON true
            LEFT JOIN LATERAL (
                SELECT bool_or(l.relkind = 'f') AS foreign_ones, bool_or(l.relpersistence = 'u') AS unlogged_ones
                FROM pg_catalog.pg_partition_tree(c.oid) t
                JOIN pg_catalog.pg_class l ON l.oid = t.relid) parts ON c.relkind = 'p'
            WHERE n.nspname = :schema AND c.relname = :table
            """;

    private static final String COLUMN = """
            SELECT format_type(a.atttypid, NULL) AS type,
                   a.attnotnull AS not_null,
                   CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END AS default_expression
            FROM pg_catalog.pg_attribute a
            LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attrelid = CAST(:table AS oid) AND a.attname = :column AND a.attnum > 0 AND NOT a.attisdropped
            """;

    // Whole indexes over plain columns; a partial one promises nothing about the rows outside it.
    private static final String INDEXES = """
            SELECT x.indisunique AS is_unique,
                   array(SELECT a.attname::text
                         FROM unnest(x.indkey::int2[]) WITH ORDINALITY k (attnum, position)
                         JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum
                         WHERE k.position <= x.indnkeyatts
                         ORDER BY k.position) AS columns
            FROM pg_catalog.pg_index x
            WHERE x.indrelid = CAST(:table AS oid) AND x.indisvalid AND x.indpred IS NULL AND x.indexprs IS NULL
            """;

    // Names are written as in SQL; without a schema they are resolved by the search path of the session.
    private static final String NAME_PARTS = "SELECT parse_ident(:name)";

    private static final String FOUND_AS = """
            SELECT n.nspname
            FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(:name)
            """;

    private static final String ROLE = "SELECT quote_ident(current_user)";

    private static final String IS_ZONE =
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_timezone_names WHERE lower(name) = lower(:zone))";

    // In parentheses, as the pages read it: text that closes them early does not parse here either.
    private static final String EXPLAIN = "EXPLAIN (FORMAT JSON, COSTS OFF) SELECT 1 FROM %s WHERE (%s)";

    Optional<TableFacts> table(Tx tx, TailSource.Relation relation) {
        return tx.query(TABLE)
                .bind("schema", relation.schema())
                .bind("table", relation.table())
                .map((row, context) -> new TableFacts(
                        row.getLong("oid"),
                        row.getString("kind"),
                        row.getBoolean("temporary"),
                        row.getBoolean("system"),
                        row.getBoolean("readable"),
                        row.getBoolean("rows_hidden"),
                        row.getBoolean("inherited"),
                        row.getBoolean("foreign_parts"),
                        row.getBoolean("unlogged")))
                .findOne();
    }

    Optional<TableFacts.Column> column(Tx tx, TableFacts table, String column) {
        return tx.query(COLUMN)
                .bind("table", table.oid())
                .bind("column", column)
                .map((row, context) -> new TableFacts.Column(
                        row.getString("type"), row.getBoolean("not_null"), row.getString("default_expression")))
                .findOne();
    }

    List<TableFacts.Index> indexes(Tx tx, TableFacts table) {
        return tx.query(INDEXES)
                .bind("table", table.oid())
                .map((row, context) -> new TableFacts.Index(row.getBoolean("is_unique"), texts(row, "columns")))
                .list();
    }

    /** The parts of a name as SQL reads it: folded to lower case unless in double quotes. */
    List<String> nameParts(Tx tx, String name) {
        return tx.query(NAME_PARTS)
                .bind("name", name)
                .map((row, context) -> texts(row, "parse_ident"))
                .one();
    }

    /** The schema in which the session finds a name that was written without one. */
    Optional<String> schemaOf(Tx tx, String name) {
        return tx.query(FOUND_AS).bind("name", name).mapTo(String.class).findOne();
    }

    /** Fails where the server cannot plan a read of the table under the filter. No row is read. */
    void explain(Tx tx, TailSource.Relation relation, String filter) {
        tx.asWritten()
                .query(EXPLAIN.formatted(relation.quoted(), filter))
                .mapTo(String.class)
                .one();
    }

    /** The role of this session, as a quoted identifier. */
    String role(Tx tx) {
        return tx.query(ROLE).mapTo(String.class).one();
    }

    boolean isZone(Tx tx, String name) {
        return tx.query(IS_ZONE).bind("zone", name).mapTo(Boolean.class).one();
    }

    private static List<String> texts(ResultSet row, String column) throws SQLException {
        Array array = row.getArray(column);
        return Arrays.asList((String[]) array.getArray());
    }
}
