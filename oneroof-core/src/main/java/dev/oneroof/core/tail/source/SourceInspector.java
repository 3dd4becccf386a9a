package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Inspects a table before it becomes a source: refuses what cannot work, and warns of what works badly. */
public final class SourceInspector {
    private final TableStore tables = new TableStore();
    private final TableCheck check = new TableCheck(tables);
    private final CollationStore collations = new CollationStore();
    private final ContractCheck contracts = new ContractCheck();
    private final FilterCheck filters = new FilterCheck();

    /** Throws when the table cannot be tailed; otherwise returns what its owner should know. */
    public InspectionResult inspect(Tx tx, TailSource source) {
        return inspect(tx, source, ContractCheck.Strictness.NEW);
    }

    public InspectionResult inspect(Tx tx, TailSource source, ContractCheck.Strictness strictness) {
        demandNames(source);
        TableFacts table = check.demandTable(tx, source.relation());
        TableFacts.Column idFound =
                check.demandColumn(tx, table, "id_column", source.id().column());
        demandType(
                "id_column", source.id().column(), idFound, source.id().type().sql());
        TailSource.TimeColumn time = source.time();
        TableFacts.Column timeFound = null;
        List<String> key = new ArrayList<>();
        if (time != null) {
            timeFound = check.demandColumn(tx, table, "ts_column", time.column());
            demandType("ts_column", time.column(), timeFound, time.type().sql());
            demandZone(tx, time);
            key.add(time.column());
        }
        key.add(source.id().column());
        demandCollation(tx, source);
        List<TableFacts.Index> indexes = tables.indexes(tx, table);
        demandUnique(source, key, indexes);
        List<String> warnings = warnings(source, table, timeFound, key, indexes);
        if (!idFound.notNull()) {
            warnings.add("rows whose '%s' is null have no key and are not read"
                    .formatted(source.id().column()));
        }
        warnings.addAll(contracts.check(tx, table, source, timeFound, strictness));
        filters.demand(tx, source);
        return new InspectionResult(List.copyOf(warnings), seen(source));
    }

    /** The parser that finds named parameters takes three quotes in a row for the start of a quoted text. */
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

    private static void demandType(String field, String column, TableFacts.Column found, String declared) {
        if (!TableCheck.shortName(found.type()).equals(declared)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' is of type %s and was declared as %s".formatted(field, column, found.type(), declared));
        }
    }

    private void demandZone(Tx tx, TailSource.TimeColumn time) {
        if (time.zone() == null && time.type() == TimeType.TIMESTAMP) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "time_zone: '%s' is a timestamp without zone; name the zone that its writers use"
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
                    "id_column: '%s' has a nondeterministic collation, which treats different texts as one key; allowed is a deterministic one"
                            .formatted(source.id().column()));
        }
    }

    /** A reader that goes by keys would take two rows with one key for one. */
    private static void demandUnique(TailSource source, List<String> key, List<TableFacts.Index> indexes) {
        Set<String> columns = new HashSet<>(key);
        boolean unique = indexes.stream()
                .anyMatch(
                        index -> index.unique() && !index.columns().isEmpty() && columns.containsAll(index.columns()));
        if (!unique) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "relation: the order key (%s) of %s is not unique; allowed is a key with a unique index over some or all of its columns"
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
            warnings.add("rows whose '%s' is null have no position in the order; they are searched every few seconds"
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
                        : "seen are new rows%s, and changed ones whose writers increase '%s'"
                                .formatted(
                                        source.contract() == OrderContract.EXTERNAL
                                                ? " that arrive within the re-read window"
                                                : "",
                                        time.column()))
                + "; a delete, or a change that keeps the key, is seen by an audit only";
    }
}
