package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds a table and its columns, and refuses what cannot be tailed at all. */
final class TableCheck {
    private static final Map<String, String> SHORT_NAMES = Map.of(
            "timestamp with time zone", "timestamptz",
            "timestamp without time zone", "timestamp",
            "character varying", "text");

    private final TableStore tables;

    TableCheck(TableStore tables) {
        this.tables = tables;
    }

    /** The table, if all its rows can be read; throws with the reason otherwise. */
    TableFacts demandTable(Tx tx, TailSource.Relation relation) {
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
                    "relation: %1$s may not be read; run as its owner: GRANT USAGE ON SCHEMA %3$s TO %2$s; GRANT SELECT ON %1$s TO %2$s"
                            .formatted(relation.quoted(), tables.role(tx), relation.quotedSchema()));
        }
        if (table.rowsHidden()) {
            throw new OneRoofException(
                    ErrorCode.PRIVILEGE_MISSING,
                    "relation: row-level security may hide rows of %1$s; run as its owner: CREATE POLICY oneroof ON %1$s FOR SELECT TO %2$s USING (true)"
                            .formatted(relation.quoted(), tables.role(tx)));
        }
        return table;
    }

    private static @Nullable String reasonAgainst(TableFacts table) {
        if (table.system()) {
            return "it is a system table";
        }
        if (table.temporary()) {
            return "a temporary table exists for one session only";
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
            case "f" -> "a foreign table's transactions cannot be seen from here; tail it on its own server";
            default -> "it is not a table";
        };
    }

    TableFacts.Column demandColumn(Tx tx, TableFacts table, String field, String column) {
        return tables.column(tx, table, column)
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND, "%s: there is no column '%s'".formatted(field, column)));
    }

    /** A type by the name that sources use for it. */
    static String shortName(String type) {
        return SHORT_NAMES.getOrDefault(type, type);
    }
}
