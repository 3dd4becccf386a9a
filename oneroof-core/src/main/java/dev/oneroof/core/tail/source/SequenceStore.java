package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.Tx;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the sequence of an id column, and its last value. */
final class SequenceStore {
    // The column's own sequence, or that of the partitioned table above it: a partition may have no default of its own.
    // An identity's sequence depends on the column; a default depends on its sequence.
    private static final String FIND = """
            WITH line AS (
                SELECT CAST(:table AS oid) AS relid, 0 AS level
                UNION ALL
                SELECT a.relid, a.level
                FROM pg_catalog.pg_partition_ancestors(CAST(:table AS oid)) WITH ORDINALITY a (relid, level)
            )
            SELECT quote_ident(n.nspname) || '.' || quote_ident(s.relname) AS name,
                   c.attidentity::text AS identity,
                   CASE WHEN c.attidentity = '' THEN pg_get_expr(d.adbin, d.adrelid) END AS default_expression,
                   coalesce(pg_get_serial_sequence(:relation, :column)::regclass = s.oid, false) AS owned,
                   has_sequence_privilege(s.oid, 'SELECT') AS readable,
                   q.seqcache, q.seqincrement, q.seqcycle
            FROM line
            JOIN pg_catalog.pg_attribute c
                 ON c.attrelid = line.relid AND c.attname = :column AND c.attnum > 0 AND NOT c.attisdropped
            LEFT JOIN pg_catalog.pg_attrdef d
                   ON d.adrelid = c.attrelid AND d.adnum = c.attnum AND c.attgenerated = ''
            CROSS JOIN LATERAL (
                SELECT i.objid AS sequence
                FROM pg_catalog.pg_depend i
                WHERE c.attidentity <> ''
                  AND i.refclassid = 'pg_class'::regclass AND i.refobjid = c.attrelid AND i.refobjsubid = c.attnum
                  AND i.classid = 'pg_class'::regclass AND i.deptype = 'i'
                UNION ALL
                SELECT f.refobjid
                FROM pg_catalog.pg_depend f
                WHERE f.classid = 'pg_attrdef'::regclass AND f.objid = d.oid AND f.refclassid = 'pg_class'::regclass
            ) fed
            JOIN pg_catalog.pg_sequence q ON q.seqrelid = fed.sequence
            JOIN pg_catalog.pg_class s ON s.oid = q.seqrelid
            JOIN pg_catalog.pg_namespace n ON n.oid = s.relnamespace
            ORDER BY line.level
            LIMIT 1
            """;

    // The rows are those of the statement's snapshot, and the last value is read after it was taken: an id that is
    // visible and was drawn is never above. An unused sequence has no last value.
    private static final String HIGHEST_UNDRAWN = """
            SELECT high.id::text
            FROM (SELECT max(%s) AS id FROM %s) high
            WHERE high.id > coalesce(pg_sequence_last_value(CAST(:sequence AS regclass)), high.id - 1)
            """;

    private static final Pattern DRAWN =
            Pattern.compile("\\(*nextval\\('(?:[^']|'')+'::regclass\\)\\)*(?:::(?:smallint|integer|bigint))?");

    Optional<IdSequence> find(Tx tx, TableFacts table, TailSource.Relation relation, String column) {
        return tx.query(FIND)
                .bind("table", table.oid())
                .bind("relation", relation.quoted())
                .bind("column", column)
                .map((row, context) -> new IdSequence(
                        row.getString("name"),
                        isPlain(row.getString("default_expression")),
                        "a".equals(row.getString("identity")),
                        row.getBoolean("owned"),
                        row.getBoolean("readable"),
                        row.getLong("seqcache"),
                        row.getLong("seqincrement"),
                        row.getBoolean("seqcycle")))
                .findOne();
    }

    /** An id in the table that is higher than the last value of the sequence. */
    Optional<String> highestUndrawn(Tx tx, TailSource source, IdSequence sequence) {
        String sql = HIGHEST_UNDRAWN.formatted(
                source.id().quoted(), source.relation().quoted());
        return tx.query(sql)
                .bind("sequence", sequence.name())
                .mapTo(String.class)
                .findOne();
    }

    private static boolean isPlain(@Nullable String defaultExpression) {
        return defaultExpression == null || DRAWN.matcher(defaultExpression).matches();
    }
}
