package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks at a table before it becomes a source: what cannot work is refused, what works badly is told. */
final class SourceInspection {
    private static final String RELATION = """
            SELECT c.relkind::text AS kind,
                   has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS readable,
                   format_type(i.atttypid, NULL) AS id_type,
                   format_type(t.atttypid, NULL) AS ts_type,
                   coalesce(t.attnotnull, false) AS ts_not_null
            FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_catalog.pg_attribute i
                   ON i.attrelid = c.oid AND i.attname = :id AND i.attnum > 0 AND NOT i.attisdropped
            LEFT JOIN pg_catalog.pg_attribute t
                   ON t.attrelid = c.oid AND t.attname = :ts AND t.attnum > 0 AND NOT t.attisdropped
            WHERE n.nspname = :schema AND c.relname = :table
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
            JOIN pg_catalog.pg_class c ON c.oid = x.indrelid
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = :schema AND c.relname = :table
              AND x.indisvalid AND x.indpred IS NULL AND x.indexprs IS NULL
            """;

    private static final Map<String, String> SHORT_NAMES = Map.of(
            "timestamp with time zone", "timestamptz",
            "timestamp without time zone", "timestamp",
            "character varying", "text");

    private record Found(
            String kind,
            boolean readable,
            @Nullable String idType,
            @Nullable String tsType,
            boolean tsNotNull) {}

    private record Index(boolean unique, List<String> columns) {}

    /** Throws when the table cannot be tailed; otherwise returns what its owner should know. */
    List<String> inspect(Tx tx, TailSource source) {
        Found found = relation(tx, source)
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "relation: %s does not exist"
                                .formatted(source.relation().quoted())));
        demandTable(source, found.kind());
        if (!found.readable()) {
            throw new OneRoofException(
                    ErrorCode.PRIVILEGE_MISSING,
                    "relation: %1$s may not be read; run as its owner: GRANT SELECT ON %1$s TO the role that OneRoof acts as, and USAGE on its schema"
                            .formatted(source.relation().quoted()));
        }
        demandType(
                "id_column",
                source.id().column(),
                found.idType(),
                source.id().type().sql());
        TailSource.TimeColumn time = source.time();
        List<String> key = new ArrayList<>();
        if (time != null) {
            demandType("ts_column", time.column(), found.tsType(), time.type().sql());
            key.add(time.column());
        }
        key.add(source.id().column());
        List<Index> indexes = indexes(tx, source);
        demandUnique(source, key, indexes);
        return warnings(source, found, key, indexes);
    }

    private static void demandTable(TailSource source, String kind) {
        String reason = switch (kind) {
            case "r", "p" -> null;
            case "v", "m" -> "a view has no order of its own; tail the table behind it";
            case "f" -> "a foreign table's transactions cannot be seen from here; tail it where it lies";
            default -> "it is no table";
        };
        if (reason != null) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "relation: %s cannot be tailed: %s"
                            .formatted(source.relation().quoted(), reason));
        }
    }

    private static void demandType(String field, String column, @Nullable String actual, String declared) {
        if (actual == null) {
            throw new OneRoofException(ErrorCode.NOT_FOUND, "%s: there is no column '%s'".formatted(field, column));
        }
        String type = SHORT_NAMES.getOrDefault(actual, actual);
        if (!type.equals(declared)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is of type %s and was declared as %s".formatted(field, column, actual, declared));
        }
    }

    /** Two rows with one key would be one row to a reader that goes by keys. */
    private static void demandUnique(TailSource source, List<String> key, List<Index> indexes) {
        Set<String> columns = new HashSet<>(key);
        boolean unique = indexes.stream()
                .anyMatch(
                        index -> index.unique() && !index.columns().isEmpty() && columns.containsAll(index.columns()));
        if (!unique) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "relation: nothing keeps the order key (%s) of %s unique; allowed is a key with a unique index over some or all of its columns"
                            .formatted(String.join(", ", key), source.relation().quoted()));
        }
    }

    private static List<String> warnings(TailSource source, Found found, List<String> key, List<Index> indexes) {
        List<String> warnings = new ArrayList<>();
        boolean indexed = indexes.stream()
                .anyMatch(index -> index.columns().size() >= key.size()
                        && index.columns().subList(0, key.size()).equals(key));
        if (!indexed) {
            warnings.add("no index carries the order key; run: CREATE INDEX CONCURRENTLY ON %s (%s)"
                    .formatted(source.relation().quoted(), new OrderKey(source).columns()));
        }
        if (source.time() != null && !found.tsNotNull()) {
            warnings.add("rows whose '%s' is null are not read"
                    .formatted(source.time().column()));
        }
        if (source.contract() == OrderContract.EXTERNAL) {
            warnings.add("no barrier is sound where applications make the keys: a row that commits late can be missed");
        }
        return warnings;
    }

    private static Optional<Found> relation(Tx tx, TailSource source) {
        TailSource.TimeColumn time = source.time();
        return tx.query(RELATION)
                .bind("id", source.id().column())
                .bind("ts", time == null ? null : time.column())
                .bind("schema", source.relation().schema())
                .bind("table", source.relation().table())
                .map((row, context) -> new Found(
                        row.getString("kind"),
                        row.getBoolean("readable"),
                        row.getString("id_type"),
                        row.getString("ts_type"),
                        row.getBoolean("ts_not_null")))
                .findOne();
    }

    private static List<Index> indexes(Tx tx, TailSource source) {
        return tx.query(INDEXES)
                .bind("schema", source.relation().schema())
                .bind("table", source.relation().table())
                .map((row, context) -> index(row))
                .list();
    }

    private static Index index(ResultSet row) throws SQLException {
        Array columns = row.getArray("columns");
        return new Index(row.getBoolean("is_unique"), Arrays.asList((String[]) columns.getArray()));
    }
}
