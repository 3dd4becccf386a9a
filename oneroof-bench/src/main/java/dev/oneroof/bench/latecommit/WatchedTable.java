package dev.oneroof.bench.latecommit;

import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A watched table, and what is kept about it in a schema of the watch's own. */
final class WatchedTable {
    static final String SCHEMA = "oneroof_watch";

    // No key: an effect that happens twice leaves two rows.
    private static final String HANDLED = """
            CREATE TABLE oneroof_watch.handled (
                no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                ts text NOT NULL,
                id text NOT NULL)
            """;

    // In order: the number is the order in which they were handled. Times as texts of one zone, to be compared later.
    static final String NOTE = """
            INSERT INTO oneroof_watch.handled (ts, id)
            SELECT coalesce(order_ts::text, ''), order_id::text FROM page ORDER BY page.order_ts, page.order_id
            """;

    private static final String HANDLED_AFTER =
            "SELECT no, id FROM oneroof_watch.handled WHERE no > :no ORDER BY no LIMIT 100000";

    private static final String HANDLED_TWICE = "SELECT count(*) - count(DISTINCT (ts, id)) FROM oneroof_watch.handled";

    private static final String LOST = """
            SELECT count(*)
            FROM oneroof_watch.there t
            WHERE NOT EXISTS (SELECT FROM oneroof_watch.handled h WHERE h.ts = t.ts AND h.id = t.id)
            """;

    private static final String COLUMN_TYPE = """
            SELECT format_type(a.atttypid, NULL)
            FROM pg_catalog.pg_attribute a
            JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = :schema AND c.relname = :table AND a.attname = :column
              AND a.attnum > 0 AND NOT a.attisdropped
            """;

    private static final String MAY_READ = """
            SELECT has_schema_privilege(:role, n.oid, 'USAGE') AND has_table_privilege(:role, c.oid, 'SELECT')
            FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = :schema AND c.relname = :table
            """;

    private static final Map<String, String> SHORT_NAMES = Map.of(
            "timestamp with time zone", "timestamptz",
            "timestamp without time zone", "timestamp",
            "character varying", "text");

    record Handled(long no, String id) {}

    private final Database login;
    private final WatchConfig config;

    WatchedTable(Database login, WatchConfig config) {
        this.login = login;
        this.config = config;
    }

    /** OneRoof's own role where it may read the table, as it should be; else null, for the login. */
    @Nullable
    String actingAs(String server) {
        boolean mayRead = login.inTx(tx -> tx.query(MAY_READ)
                .bind("role", server)
                .bind("schema", config.schema())
                .bind("table", config.table())
                .mapTo(Boolean.class)
                .findOne()
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "table: '%s.%s' does not exist".formatted(config.schema(), config.table()))));
        return mayRead ? server : null;
    }

    TailSource source(String name) {
        TailSource byId = TailSource.of(
                        name, config.schema(), config.table(), config.id(), type("id", config.id(), IdType.class))
                .inBatchesOf(1000)
                .polledEvery(LateTables.POLL);
        String ts = config.ts();
        return ts == null ? byId : byId.timedBy(ts, type("ts", ts, TimeType.class), "UTC");
    }

    private <T extends Enum<T>> T type(String option, String column, Class<T> allowed) {
        String type = login.inTx(tx -> tx.query(COLUMN_TYPE)
                .bind("schema", config.schema())
                .bind("table", config.table())
                .bind("column", column)
                .mapTo(String.class)
                .findOne()
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "%s: '%s' is no column of %s.%s".formatted(option, column, config.schema(), config.table()))));
        String name = SHORT_NAMES.getOrDefault(type, type).toUpperCase(Locale.ROOT);
        return Arrays.stream(allowed.getEnumConstants())
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.INVALID_INPUT,
                        "%s: '%s' is of type %s; allowed are %s"
                                .formatted(
                                        option,
                                        column,
                                        type,
                                        Arrays.stream(allowed.getEnumConstants())
                                                .map(known -> known.name().toLowerCase(Locale.ROOT))
                                                .collect(Collectors.joining(", ")))));
    }

    void create() {
        login.useTx(tx -> tx.update(HANDLED).execute());
    }

    /** The keys of all rows that can be seen now. */
    void rememberWhatIsThere() {
        String ts = config.ts() == null ? "''" : Identifiers.quote("ts", config.ts()) + "::text";
        String condition =
                config.ts() == null ? "" : "WHERE %s IS NOT NULL".formatted(Identifiers.quote("ts", config.ts()));
        login.useTx(tx -> {
            // As the runtime's sessions, whose texts these are held against.
            tx.update("SET LOCAL TIME ZONE 'UTC'").execute();
            tx.update("CREATE TABLE oneroof_watch.there AS SELECT %s AS ts, %s::text AS id FROM %s.%s %s"
                            .formatted(
                                    ts,
                                    Identifiers.quote("id", config.id()),
                                    Identifiers.quote("table", config.schema()),
                                    Identifiers.quote("table", config.table()),
                                    condition))
                    .execute();
        });
    }

    List<Handled> handledAfter(long no) {
        return login.inTx(tx -> tx.query(HANDLED_AFTER)
                .bind("no", no)
                .map((row, context) -> new Handled(row.getLong("no"), row.getString("id")))
                .list());
    }

    long handled() {
        return count("SELECT count(*) FROM oneroof_watch.handled");
    }

    long handledTwice() {
        return count(HANDLED_TWICE);
    }

    long lost() {
        return count(LOST);
    }

    private long count(String sql) {
        return login.inTx(tx -> tx.query(sql).mapTo(Long.class).one());
    }
}
