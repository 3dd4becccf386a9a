package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Looks at a table before it becomes a source: what cannot work is refused, what works badly is told. */
final class SourceInspection {
    private static final Map<String, String> SHORT_NAMES = Map.of(
            "timestamp with time zone", "timestamptz",
            "timestamp without time zone", "timestamp",
            "character varying", "text");

    private final TableStore tables = new TableStore();
    private final CollationStore collations = new CollationStore();
    private final ContractCheck contracts = new ContractCheck();
    private final FilterCheck filters = new FilterCheck();

    /** Throws when the table cannot be tailed; otherwise returns what its owner should know. */
    Inspected inspect(Tx tx, TailSource source) {
        demandNames(source);
        TableFacts table = demandTable(tx, source.relation());
        demandType(
                "id_column",
                source.id().column(),
                demandColumn(tx, table, "id_column", source.id().column()),
                source.id().type().sql());
        TailSource.TimeColumn time = source.time();
        TableFacts.Column timeFound = null;
        List<String> key = new ArrayList<>();
        if (time != null) {
            timeFound = demandColumn(tx, table, "ts_column", time.column());
            demandType("ts_column", time.column(), timeFound, time.type().sql());
            demandZone(tx, time);
            key.add(time.column());
        }
        key.add(source.id().column());
        demandCollation(tx, source);
        List<TableFacts.Index> indexes = tables.indexes(tx, table);
        demandUnique(source, key, indexes);
        List<String> warnings = warnings(source, table, timeFound, key, indexes);
        warnings.addAll(contracts.check(tx, table, source, timeFound));
        filters.demand(tx, source);
        return new Inspected(List.copyOf(warnings), seen(source));
    }

    /** A source over these columns, with the types that they have and the contract that they seem to keep. */
    TailSource draft(Tx tx, SourceOutline outline) {
        TailSource.Relation relation = relation(tx, outline.table());
        TableFacts table = demandTable(tx, relation);
        String idColumn = columnName(tx, "id_column", outline.idColumn());
        TableFacts.Column id = demandColumn(tx, table, "id_column", idColumn);
        TailSource source = TailSource.of(
                outline.name(), relation.schema(), relation.table(), idColumn, IdType.of(shortName(id.type())));
        TableFacts.Column time = null;
        if (outline.timeColumn() != null) {
            String timeColumn = columnName(tx, "ts_column", outline.timeColumn());
            time = demandColumn(tx, table, "ts_column", timeColumn);
            source = source.timedBy(timeColumn, TimeType.of(shortName(time.type())), outline.zone());
        } else if (outline.zone() != null) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "time_zone: '%s' is not allowed; without a time column there is none".formatted(outline.zone()));
        }
        return source.under(
                outline.contract() != null ? outline.contract() : contracts.proposed(tx, table, source, time));
    }

    /** What finds the parameters in our statements takes three quotes in a row for the start of a quoted text. */
    private static void demandNames(TailSource source) {
        TailSource.TimeColumn time = source.time();
        Map<String, String> names = new HashMap<>();
        names.put(source.relation().schema(), "relation");
        names.put(source.relation().table(), "relation");
        names.put(source.id().column(), "id_column");
        if (time != null) {
            names.put(time.column(), "ts_column");
        }
        names.forEach((name, field) -> {
            if (name.endsWith("\"")) {
                throw new OneRoofException(
                        ErrorCode.INVALID_INPUT,
                        "%s: '%s' ends with a double quote; allowed is every other name".formatted(field, name));
            }
        });
    }

    private TailSource.Relation relation(Tx tx, String written) {
        List<String> parts = nameParts(tx, "relation", written);
        if (parts.size() > 2) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "relation: '%s' is not allowed; allowed are table and schema.table".formatted(written));
        }
        if (parts.size() == 2) {
            return new TailSource.Relation(parts.getFirst(), parts.getLast());
        }
        String schema = tables.schemaOf(tx, written)
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "relation: %s is not found without a schema; write schema.table".formatted(written)));
        return new TailSource.Relation(schema, parts.getFirst());
    }

    private String columnName(Tx tx, String field, String written) {
        List<String> parts = nameParts(tx, field, written);
        if (parts.size() > 1) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT, "%s: '%s' is not allowed; allowed is a column".formatted(field, written));
        }
        return parts.getFirst();
    }

    private List<String> nameParts(Tx tx, String field, String written) {
        try {
            return tables.nameParts(tx, written);
        } catch (JdbiException e) {
            if ("22023".equals(SqlState.of(e))) {
                throw new OneRoofException(
                        ErrorCode.INVALID_INPUT,
                        "%s: '%s' is no SQL name; in double quotes it is taken as it stands".formatted(field, written),
                        e);
            }
            throw e;
        }
    }

    private TableFacts demandTable(Tx tx, TailSource.Relation relation) {
        TableFacts table = tables.table(tx, relation)
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND, "relation: %s does not exist".formatted(relation.quoted())));
        String reason = reasonAgainst(table);
        if (reason != null) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT, "relation: %s cannot be tailed: %s".formatted(relation.quoted(), reason));
        }
        if (!table.readable()) {
            throw new OneRoofException(
                    ErrorCode.PRIVILEGE_MISSING,
                    "relation: %1$s may not be read; run as its owner: GRANT SELECT ON %1$s TO the role that OneRoof acts as, and USAGE on its schema"
                            .formatted(relation.quoted()));
        }
        if (table.rowsHidden()) {
            throw new OneRoofException(
                    ErrorCode.PRIVILEGE_MISSING,
                    "relation: row-level security may hide rows of %1$s; run as its owner: CREATE POLICY oneroof ON %1$s FOR SELECT TO the role that OneRoof acts as USING (true)"
                            .formatted(relation.quoted()));
        }
        return table;
    }

    private static @Nullable String reasonAgainst(TableFacts table) {
        if (table.system()) {
            return "it is one of the server's own";
        }
        if (table.temporary()) {
            return "a temporary table is there for one session alone";
        }
        if (table.inherited()) {
            return "other tables inherit from it, and no unique index spans their rows; tail each of them";
        }
        if (table.foreignParts()) {
            return "a partition is a foreign table, whose transactions cannot be seen from here";
        }
        return switch (table.kind()) {
            case "r", "p" -> null;
            case "v", "m" -> "a view has no order of its own; tail the table behind it";
            case "f" -> "a foreign table's transactions cannot be seen from here; tail it where it lies";
            default -> "it is no table";
        };
    }

    private TableFacts.Column demandColumn(Tx tx, TableFacts table, String field, String column) {
        return tables.column(tx, table, column)
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND, "%s: there is no column '%s'".formatted(field, column)));
    }

    private static void demandType(String field, String column, TableFacts.Column found, String declared) {
        if (!shortName(found.type()).equals(declared)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is of type %s and was declared as %s".formatted(field, column, found.type(), declared));
        }
    }

    private static String shortName(String type) {
        return SHORT_NAMES.getOrDefault(type, type);
    }

    private void demandZone(Tx tx, TailSource.TimeColumn time) {
        if (time.zone() == null && time.type() == TimeType.TIMESTAMP) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "time_zone: '%s' is a timestamp without zone; say in which one its writers keep it"
                            .formatted(time.column()));
        }
        if (time.zone() != null && !tables.isZone(tx, time.zone())) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "time_zone: '%s' is not known to the server; allowed is a name in pg_timezone_names, such as UTC"
                            .formatted(time.zone()));
        }
    }

    private void demandCollation(Tx tx, TailSource source) {
        if (!collations.isDeterministic(tx, source.relation(), source.id().column())) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "id_column: '%s' has a nondeterministic collation, to which different texts are one key; allowed is a deterministic one"
                            .formatted(source.id().column()));
        }
    }

    /** Two rows with one key would be one row to a reader that goes by keys. */
    private static void demandUnique(TailSource source, List<String> key, List<TableFacts.Index> indexes) {
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

    private static List<String> warnings(
            TailSource source,
            TableFacts table,
            TableFacts.@Nullable Column time,
            List<String> key,
            List<TableFacts.Index> indexes) {
        List<String> warnings = new ArrayList<>();
        boolean indexed = indexes.stream()
                .anyMatch(index -> index.columns().size() >= key.size()
                        && index.columns().subList(0, key.size()).equals(key));
        if (!indexed) {
            warnings.add("no index carries the order key; run: CREATE INDEX CONCURRENTLY ON %s (%s)"
                    .formatted(source.relation().quoted(), new OrderKey(source).columns()));
        }
        if (source.time() != null && time != null && !time.notNull()) {
            warnings.add("rows whose '%s' is null are not read"
                    .formatted(source.time().column()));
        }
        if (table.unlogged()) {
            warnings.add("%s is unlogged: a crash of the server empties it, also of rows that were not read yet"
                    .formatted(source.relation().quoted()));
        }
        return warnings;
    }

    private static String seen(TailSource source) {
        TailSource.TimeColumn time = source.time();
        return (time == null
                        ? "seen are new rows"
                        : "seen are new rows, and changed ones whose writers move '%s' on".formatted(time.column()))
                + "; a delete, or a change that moves no key, only an audit can see";
    }
}
