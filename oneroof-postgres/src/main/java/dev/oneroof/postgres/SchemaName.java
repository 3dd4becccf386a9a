package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.regex.Pattern;

/**
 * The schema that holds OneRoof's tables. Statements are written with the default name, {@code oneroof.some_table}, so
 * that they can be pasted into psql as they stand; here they are turned to the configured one. A search_path would do
 * it more quietly, and would be lost behind a pooling proxy.
 */
public record SchemaName(String value) {
    private static final Pattern ALLOWED = Pattern.compile("(?!pg_)[a-z_][a-z0-9_]{0,62}");

    // Only before the names that are ours, and not inside a quoted name: what users put into a statement (the names of
    // their tables, a source's filter) is left alone.
    private static final Pattern WRITTEN = Pattern.compile(
            "(?<![\\w\"])oneroof\\.(?=(dot_config|queue_|tail_|gov_|event_|job_|system_issue|operator_act|fn_|v_|lease_epoch_seq|schema_history))");

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

    String applyTo(String sql) {
        return equals(DEFAULT) ? sql : WRITTEN.matcher(sql).replaceAll(quoted() + ".");
    }

    @Override
    public String toString() {
        return value;
    }
}
