package dev.oneroof.core.tabletail;

import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Registered sources, in {@code tail_source}. */
public final class SourceStore {
    private static final String SAVE = """
            INSERT INTO oneroof.tail_source
                (source_name, relation_schema, relation_name, ts_column, ts_type, id_column, id_type, time_zone,
                 order_contract, mode, filter, batch_size, poll_interval, registered_by)
            VALUES
                (:name, :schema, :table, :ts_column, :ts_type, :id_column, :id_type, :zone,
                 :contract, :mode, :filter, :batch_size, make_interval(secs => :poll_seconds), :actor)
            ON CONFLICT (source_name) DO NOTHING
            """;

    private static final String FIND = """
            SELECT source_name, relation_schema, relation_name, ts_column, ts_type, id_column, id_type, time_zone,
                   order_contract, mode, filter, batch_size, extract(epoch FROM poll_interval)::float8 AS poll_seconds
            FROM oneroof.tail_source
            WHERE source_name = :name
            """;

    private static final String SHAPE = """
            SELECT c.relkind = 'p' AS partitioned,
                   t.attname IS NOT NULL AND NOT t.attnotnull AS untimed,
                   CASE
                       WHEN i.attcollation <> 0 THEN quote_ident(cn.nspname) || '.' || quote_ident(co.collname)
                   END AS collation
            FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_catalog.pg_attribute i ON i.attrelid = c.oid AND i.attname = :id AND NOT i.attisdropped
            LEFT JOIN pg_catalog.pg_attribute t ON t.attrelid = c.oid AND t.attname = :ts AND NOT t.attisdropped
            LEFT JOIN pg_catalog.pg_collation co ON co.oid = i.attcollation
            LEFT JOIN pg_catalog.pg_namespace cn ON cn.oid = co.collnamespace
            WHERE n.nspname = :schema AND c.relname = :table
            """;

    private final SourceInspection inspection = new SourceInspection();

    /**
     * Registers a source and returns what its owner should know. The same again is no change; a table that cannot be
     * tailed, or another definition under the name, is refused.
     */
    public List<String> register(Tx tx, TailSource source, String actor) {
        List<String> warnings = inspection.inspect(tx, source);
        save(tx, source, actor);
        if (!find(tx, source.name()).equals(Optional.of(source))) {
            throw new OneRoofException(
                    ErrorCode.CONFLICT, "source: '%s' is registered with another definition".formatted(source.name()));
        }
        return warnings;
    }

    private static void save(Tx tx, TailSource source, String actor) {
        TailSource.TimeColumn time = source.time();
        tx.update(SAVE)
                .bind("name", source.name())
                .bind("schema", source.relation().schema())
                .bind("table", source.relation().table())
                .bind("ts_column", time == null ? null : time.column())
                .bind("ts_type", time == null ? null : time.type().sql())
                .bind("id_column", source.id().column())
                .bind("id_type", source.id().type().sql())
                .bind("zone", time == null ? null : time.zone())
                .bind("contract", source.contract().sql())
                .bind("mode", source.mode().sql())
                .bind("filter", source.filter())
                .bind("batch_size", source.batchSize())
                .bind("poll_seconds", source.pollInterval().toMillis() / 1000.0)
                .bind("actor", actor)
                .execute();
    }

    /** What the table looks like now. */
    Shape shape(Tx tx, TailSource source) {
        TailSource.TimeColumn time = source.time();
        return tx.query(SHAPE)
                .bind("id", source.id().column())
                .bind("ts", time == null ? null : time.column())
                .bind("schema", source.relation().schema())
                .bind("table", source.relation().table())
                .map((row, context) ->
                        new Shape(row.getBoolean("partitioned"), row.getBoolean("untimed"), row.getString("collation")))
                .findOne()
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "relation: %s, or a column of its order key, does not exist any more"
                                .formatted(source.relation().quoted())));
    }

    public Optional<TailSource> find(Tx tx, String name) {
        return tx.query(FIND)
                .bind("name", name)
                .map((row, context) -> source(row))
                .findOne();
    }

    private static TailSource source(ResultSet row) throws SQLException {
        String tsColumn = row.getString("ts_column");
        return new TailSource(
                row.getString("source_name"),
                new TailSource.Relation(row.getString("relation_schema"), row.getString("relation_name")),
                tsColumn == null
                        ? null
                        : new TailSource.TimeColumn(
                                tsColumn, TimeType.of(row.getString("ts_type")), row.getString("time_zone")),
                new TailSource.IdColumn(row.getString("id_column"), IdType.of(row.getString("id_type"))),
                OrderContract.valueOf(row.getString("order_contract").toUpperCase(Locale.ROOT)),
                Mode.valueOf(row.getString("mode").toUpperCase(Locale.ROOT)),
                row.getString("filter"),
                row.getInt("batch_size"),
                Duration.ofMillis(Math.round(row.getDouble("poll_seconds") * 1000)));
    }
}
