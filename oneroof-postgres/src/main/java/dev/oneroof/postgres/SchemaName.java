package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.regex.Pattern;

/**
 * The schema that holds OneRoof's tables. OneRoof's own statements are written with the default name,
 * {@code oneroof.some_table}, so that they can be pasted into psql as they stand; here they are turned to the configured
 * one. A search_path would do it more quietly, and would be lost behind a pooling proxy. The text of a user is put into
 * such a statement afterwards, or is sent by itself through {@link UserTx}.
 */
public record SchemaName(String value) {
    private static final Pattern ALLOWED = Pattern.compile("(?!pg_)[a-z_][a-z0-9_]{0,62}");

    public static final SchemaName DEFAULT = new SchemaName("oneroof");

    public SchemaName {
        if (!ALLOWED.matcher(value).matches()) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "db.schema: '%s' is not allowed; allowed are 1 to 63 of a-z, 0-9 and _, not starting with a digit or pg_"
                            .formatted(value));
        }
    }

    public String quoted() {
        return '"' + value + '"';
    }

    /** A statement of OneRoof, or a part of one, under this name. Never for a text of a user. */
    public String applyTo(String ownSql) {
        return equals(DEFAULT) ? ownSql : OwnNames.turn(ownSql, this);
    }

    @Override
    public String toString() {
        return value;
    }
}
