package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.Identifiers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A table that is tailed, as registered in {@code tail_source}. Made by {@link #of} and the methods that follow it. */
public record TailSource(
        String name,
        Relation relation,
        @Nullable TimeColumn time,
        IdColumn id,
        OrderContract contract,
        Mode mode,
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

    /** A source ordered by an id from a sequence, until said otherwise. */
    public static TailSource of(String name, String schema, String table, String idColumn, IdType idType) {
        return new TailSource(
                name,
                new Relation(schema, table),
                null,
                new IdColumn(idColumn, idType),
                OrderContract.SEQUENCE,
                Mode.PROMPT,
                null,
                5000,
                Duration.ofSeconds(1));
    }

    /** Ordered by a time first, which the database's own {@code now()} has set. */
    public TailSource timedBy(String column, TimeType type) {
        return timedBy(column, type, null);
    }

    public TailSource timedBy(String column, TimeType type, @Nullable String zone) {
        return with(new TimeColumn(column, type, zone), OrderContract.CLOCK, mode, filter, batchSize, pollInterval);
    }

    public TailSource under(OrderContract promised) {
        return with(time, promised, mode, filter, batchSize, pollInterval);
    }

    public TailSource in(Mode chosen) {
        return with(time, contract, chosen, filter, batchSize, pollInterval);
    }

    /** Only rows for which this SQL condition holds. */
    public TailSource where(String condition) {
        return with(time, contract, mode, condition, batchSize, pollInterval);
    }

    public TailSource inBatchesOf(int rows) {
        return with(time, contract, mode, filter, rows, pollInterval);
    }

    public TailSource polledEvery(Duration interval) {
        return with(time, contract, mode, filter, batchSize, interval);
    }

    private TailSource with(
            @Nullable TimeColumn newTime,
            OrderContract newContract,
            Mode newMode,
            @Nullable String newFilter,
            int rows,
            Duration interval) {
        return new TailSource(name, relation, newTime, id, newContract, newMode, newFilter, rows, interval);
    }

    public Duration lagThreshold() {
        return Duration.ofMinutes(5);
    }

    public Duration rereadWindow() {
        return Duration.ofMinutes(10);
    }
}
