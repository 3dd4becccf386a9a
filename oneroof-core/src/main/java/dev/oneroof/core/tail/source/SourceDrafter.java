package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import org.jdbi.v3.core.JdbiException;

/** Makes a source from an outline: parses the names as SQL does, and reads the types from the table. */
public final class SourceDrafter {
    private final TableStore tables = new TableStore();
    private final TableCheck check = new TableCheck(tables);
    private final ContractCheck contracts = new ContractCheck();

    /** A source over these columns, with the types that they have and the contract that they seem to keep. */
    public TailSource draft(Tx tx, SourceOutline outline) {
        TailSource.Relation relation = relation(tx, outline.table());
        TableFacts table = check.demandTable(tx, relation);
        String idColumn = columnName(tx, "id_column", outline.idColumn());
        TableFacts.Column id = check.demandColumn(tx, table, "id_column", idColumn);
        TailSource source = TailSource.of(
                outline.name(),
                relation.schema(),
                relation.table(),
                idColumn,
                IdType.of(TableCheck.shortName(id.type())));
        TableFacts.Column time = null;
        if (outline.timeColumn() != null) {
            String timeColumn = columnName(tx, "ts_column", outline.timeColumn());
            time = check.demandColumn(tx, table, "ts_column", timeColumn);
            source = source.timedBy(timeColumn, TimeType.of(TableCheck.shortName(time.type())), outline.zone());
        } else if (outline.zone() != null) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "time_zone: '%s' is not allowed; without a time column there is none".formatted(outline.zone()));
        }
        return source.under(outline.contract() != null ? outline.contract() : contracts.proposed(source, time));
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
                        "%s: '%s' is not an SQL name; in double quotes it is taken literally".formatted(field, written),
                        e);
            }
            throw e;
        }
    }
}
