package dev.oneroof.core.tail;

import dev.oneroof.database.Identifiers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A table that is tailed, as registered in {@code tail_source}. */
public record TailSource(
        String name,
        Relation relation,
        @Nullable TimeColumn time,
        IdColumn id,
        OrderContract contract,
        @Nullable String filter,
        int batchSize,
        Duration pollInterval) {

    public record Relation(String schema, String table) {
        String quoted() {
            return Identifiers.quote("relation_schema", schema) + "." + Identifiers.quote("relation_name", table);
        }
    }

    /** The column that orders first. A {@code timestamp} is read in {@code zone}, whatever the session's. */
    public record TimeColumn(
            String column, TimeType type, @Nullable String zone) {
        String quoted() {
            return Identifiers.quote("ts_column", column);
        }
    }

    /** The column that orders rows of one time, or all rows where there is no time. */
    public record IdColumn(String column, IdType type) {
        String quoted() {
            return Identifiers.quote("id_column", column);
        }
    }
}
