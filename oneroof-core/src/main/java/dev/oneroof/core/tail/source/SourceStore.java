package dev.oneroof.core.tail.source;

import dev.oneroof.core.finding.FindingStore;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads and writes registered sources, in {@code tail_source}. */
public final class SourceStore {
    private static final String SAVE = """
            INSERT INTO oneroof.tail_source
                (source_name, relation_schema, relation_name, ts_column, ts_type, id_column, id_type, time_zone,
                 order_contract, mode, filter, batch_size, poll_interval, lag_threshold, reread_window,
                 id_collation, id_collation_version, registered_by)
            VALUES
                (:name, :schema, :table, :ts_column, :ts_type, :id_column, :id_type, :zone,
                 :contract, :mode, :filter, :batch_size, make_interval(secs => :poll_seconds),
                 make_interval(secs => :lag_seconds), make_interval(secs => :reread_seconds),
                 :collation, :collation_version, :actor)
            ON CONFLICT (source_name) DO NOTHING
            """;

    private static final String LIST = """
            SELECT source_name, relation_schema, relation_name, ts_column, ts_type, id_column, id_type, time_zone,
                   order_contract, mode, filter, batch_size,
                   extract(epoch FROM poll_interval)::float8 AS poll_seconds,
                   extract(epoch FROM lag_threshold)::float8 AS lag_seconds,
                   extract(epoch FROM reread_window)::float8 AS reread_seconds
            FROM oneroof.tail_source
            WHERE source_name = coalesce(CAST(:name AS text), source_name)
            ORDER BY source_name COLLATE "C"
            """;

    private static final String NOT_KNOWN = """
            SELECT source_name, oneroof.fn_source_not_known(order_contract, ts_column, reread_window) AS not_known
            FROM oneroof.tail_source
            WHERE order_contract = 'external'
            """;

    private static final String COLLATION_THEN = """
            SELECT id_collation, id_collation_version
            FROM oneroof.tail_source
            WHERE source_name = :name AND id_collation IS NOT NULL
            """;

    private static final String ACCEPT_COLLATION = """
            UPDATE oneroof.tail_source
            SET id_collation = :collation, id_collation_version = :version, updated_at = clock_timestamp()
            WHERE source_name = :name
            """;

    private static final String RECORD = """
            INSERT INTO oneroof.operator_act (act, target, actor, reason, details)
            SELECT :act, source_name, :actor, :reason, to_jsonb(s)
            FROM oneroof.tail_source s
            WHERE source_name = :name
            """;

    // No worker will retry them.
    private static final String DECLARED =
            "SELECT worker_name FROM oneroof.worker_definition WHERE source_name = :name ORDER BY worker_name";

    private static final String CLOSE_PENDING = """
            UPDATE oneroof.event_pending
            SET processed_at = clock_timestamp(), dead_lettered_at = NULL, next_attempt_at = NULL,
                triage_status = 'closed', triaged_by = :actor, triage_note = 'the source was removed', updated_at = clock_timestamp()
            WHERE source_name = :name AND processed_at IS NULL
            """;

    private static final String SHAPE = """
            SELECT c.relkind = 'p' AS partitioned,
                   t.attname IS NOT NULL AND NOT t.attnotnull AS untimed,
                   -- In quotes whatever it is called: it becomes a part of OneRoof's own statements.
                   CASE
                       WHEN i.attcollation <> 0
                       THEN '"' || replace(cn.nspname, '"', '""') || '"."' || replace(co.collname, '"', '""') || '"'
                   END AS collation
            FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_catalog.pg_attribute i ON i.attrelid = c.oid AND i.attname = :id AND NOT i.attisdropped
            LEFT JOIN pg_catalog.pg_attribute t ON t.attrelid = c.oid AND t.attname = :ts AND NOT t.attisdropped
            LEFT JOIN pg_catalog.pg_collation co ON co.oid = i.attcollation
            LEFT JOIN pg_catalog.pg_namespace cn ON cn.oid = co.collnamespace
            WHERE n.nspname = :schema AND c.relname = :table
            """;

    // Scopes are worker/source/shard; neither name can hold a slash. A scope is known before its cursor is there.
    private static final String USES = """
            SELECT coalesce(c.worker_name, h.worker) AS worker,
                   coalesce(c.shard, h.shard) AS shard,
                   coalesce(c.events_seen, 0) AS rows_seen,
                   h.owner
            FROM (SELECT worker_name, shard, events_seen
                  FROM oneroof.gov_worker_cursor
                  WHERE source_name = :name) c
            FULL JOIN (SELECT split_part(executor_name, '/', 1) AS worker,
                              split_part(executor_name, '/', 3)::integer AS shard,
                              CASE WHEN lease_until > clock_timestamp() THEN lease_owner END AS owner
                       FROM oneroof.queue_heartbeat
                       WHERE executor_name ~ '^[^/]+/[^/]+/[0-9]{1,9}$'
                         AND split_part(executor_name, '/', 1) NOT IN ('instance', 'job_keeper', 'jobs', 'stale_check')
                         AND split_part(executor_name, '/', 2) = :name) h
                   ON h.worker = c.worker_name AND h.shard = c.shard
            ORDER BY 1, 2
            """;

    private static final String IS_OUTBOX = """
            SELECT coalesce('oneroof.event_outbox'::regclass = to_regclass(format('%I.%I', :schema, :table)), false)
            """;

    // A frozen owner may hold the lock on the cursor's row; the wait for it is bounded.
    private static final String LIMIT_LOCK_WAIT = "SELECT set_config('lock_timeout', '5s', true)";

    // A transaction that creates a cursor for it now waits for this lock, and then finds no source.
    private static final String LOCK = """
            SELECT source_name
            FROM oneroof.tail_source
            WHERE source_name = :name
            FOR UPDATE
            """;

    private static final String DELETE_CURSORS = "DELETE FROM oneroof.gov_worker_cursor WHERE source_name = :name";

    // A claim that was first has made the lease live, and its row stays; a later claim finds no row.
    private static final String DELETE_SCOPES = """
            DELETE FROM oneroof.queue_heartbeat
            WHERE executor_name ~ '^[^/]+/[^/]+/[0-9]{1,9}$'
              AND split_part(executor_name, '/', 1) NOT IN ('instance', 'job_keeper', 'jobs', 'stale_check')
              AND split_part(executor_name, '/', 2) = :name
              AND (lease_owner IS NULL OR lease_until < clock_timestamp())
            """;

    private static final String DELETE = "DELETE FROM oneroof.tail_source WHERE source_name = :name";

    private final SourceInspector inspection = new SourceInspector();
    private final CollationStore collations = new CollationStore();
    private final FindingStore findings = new FindingStore();

    /**
     * Registers a source and returns what its owner should know. The same definition again is no change; a table that
     * cannot be tailed, or another definition under the name, is refused.
     */
    public List<String> register(Tx tx, TailSource source, String actor) {
        return admit(tx, source, actor).warnings();
    }

    public InspectionResult admit(Tx tx, TailSource source, String actor) {
        boolean known = find(tx, source.name()).equals(Optional.of(source));
        InspectionResult inspected = inspection.inspect(
                tx, source, known ? ContractCheck.Strictness.REGISTERED : ContractCheck.Strictness.NEW);
        if (save(tx, source, actor)) {
            record(tx, source.name(), "source_add", actor, "registered");
        }
        TailSource registered = find(tx, source.name()).orElseThrow(() -> unknown(source.name()));
        if (!registered.equals(source)) {
            throw new OneRoofException(
                    ErrorCode.CONFLICT,
                    "source: '%s' is registered with another definition: %s; alter the source, or ask for the definition that it has"
                            .formatted(source.name(), SourceDifferences.between(registered, source)));
        }
        return inspected;
    }

    /** Whether it is the outbox of this installation, which wakes its readers. */
    public boolean isOutbox(Tx tx, TailSource source) {
        return tx.query(IS_OUTBOX)
                .bind("schema", source.relation().schema())
                .bind("table", source.relation().table())
                .mapTo(Boolean.class)
                .one();
    }

    private boolean save(Tx tx, TailSource source, String actor) {
        TailSource.TimeColumn time = source.time();
        Optional<Collation> collation = collationNow(tx, source);
        int rows = tx.update(SAVE)
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
                .bind("poll_seconds", seconds(source.pollInterval()))
                .bind("lag_seconds", seconds(source.lagThreshold()))
                .bind("reread_seconds", seconds(source.rereadWindow()))
                .bind("collation", collation.map(Collation::name).orElse(null))
                .bind("collation_version", collation.map(Collation::version).orElse(null))
                .bind("actor", actor)
                .execute();
        return rows == 1;
    }

    private static void record(Tx tx, String name, String act, String actor, String reason) {
        tx.update(RECORD)
                .bind("name", name)
                .bind("act", act)
                .bind("actor", actor)
                .bind("reason", reason)
                .execute();
    }

    /** The present collation of the source's key; empty where it is not a text. */
    public Optional<Collation> collationNow(Tx tx, TailSource source) {
        return collations.of(tx, source.relation(), source.id().column());
    }

    /** The collation of the source's key when it was registered; empty where it is not a text. */
    public Optional<Collation> collationThen(Tx tx, String name) {
        return tx.query(COLLATION_THEN)
                .bind("name", name)
                .map((row, context) ->
                        new Collation(row.getString("id_collation"), row.getString("id_collation_version")))
                .findOne();
    }

    /** Why the watermarks of a text key may mean other positions than before; empty where they do not. */
    public Optional<String> changedCollation(Tx tx, TailSource source) {
        if (source.id().type() != IdType.TEXT) {
            return Optional.empty();
        }
        Optional<Collation> then = collationThen(tx, source.name());
        Optional<Collation> now = collationNow(tx, source);
        return then.equals(now)
                ? Optional.empty()
                : Optional.of(
                        "id_column: '%s' was ordered by %s and is now by %s; its watermarks may mean other positions, and its indexes need REINDEX"
                                .formatted(
                                        source.id().column(),
                                        then.map(Collation::toString).orElse("none"),
                                        now.map(Collation::toString).orElse("none")));
    }

    /** The operator accepts the present collation. */
    public void acceptCollation(Tx tx, TailSource source) {
        Optional<Collation> now = collationNow(tx, source);
        tx.update(ACCEPT_COLLATION)
                .bind("name", source.name())
                .bind("collation", now.map(Collation::name).orElse(null))
                .bind("version", now.map(Collation::version).orElse(null))
                .execute();
    }

    /** The workers that read the source or are about to, by name. */
    public List<SourceUse> uses(Tx tx, String name) {
        return tx.query(USES)
                .bind("name", name)
                .map((row, context) -> new SourceUse(
                        row.getString("worker"), row.getInt("shard"), row.getLong("rows_seen"), row.getString("owner")))
                .list();
    }

    /**
     * Removes a source with its cursors, their stretches and scopes. Refused while an instance holds a lease on it. The
     * locks are taken in the order of a batch: cursor, then lease.
     */
    public void remove(Tx tx, String name, String actor, String reason) {
        tx.query(LIMIT_LOCK_WAIT).mapTo(String.class).one();
        // Checked first without a lock, so as not to wait for a running batch.
        refuseWhileHeld(tx, name);
        if (tx.query(LOCK).bind("name", name).mapTo(String.class).findOne().isEmpty()) {
            throw unknown(name);
        }
        List<String> workers =
                tx.query(DECLARED).bind("name", name).mapTo(String.class).list();
        if (!workers.isEmpty()) {
            throw new OneRoofException(
                    ErrorCode.CONFLICT,
                    "source: '%s' is read by workers that are rows; remove them first: %s"
                            .formatted(name, String.join(", ", workers)));
        }
        record(tx, name, "source_remove", actor, reason);
        resolveFindings(tx, name);
        tx.update(CLOSE_PENDING).bind("name", name).bind("actor", actor).execute();
        tx.update(DELETE_CURSORS).bind("name", name).execute();
        tx.update(DELETE_SCOPES).bind("name", name).execute();
        refuseWhileHeld(tx, name);
        tx.update(DELETE).bind("name", name).execute();
    }

    private void resolveFindings(Tx tx, String name) {
        for (SourceUse use : uses(tx, name)) {
            String scope = new Scope(use.worker(), name, use.shard()).executorName();
            for (FindingType type : FindingType.OF_A_CURSOR) {
                findings.resolve(tx, type, scope);
            }
        }
    }

    private void refuseWhileHeld(Tx tx, String name) {
        for (SourceUse use : uses(tx, name)) {
            if (use.owner() != null) {
                throw new OneRoofException(
                        ErrorCode.CONFLICT,
                        "source: '%s' is tailed by worker '%s' of instance %s; stop that instance first"
                                .formatted(name, use.worker(), use.owner()));
            }
        }
    }

    public static OneRoofException unknown(String name) {
        return new OneRoofException(ErrorCode.NOT_FOUND, "source: '%s' is not registered".formatted(name));
    }

    /** The present shape of the table. */
    public TableShape shape(Tx tx, TailSource source) {
        TailSource.TimeColumn time = source.time();
        return tx.query(SHAPE)
                .bind("id", source.id().column())
                .bind("ts", time == null ? null : time.column())
                .bind("schema", source.relation().schema())
                .bind("table", source.relation().table())
                .map((row, context) -> new TableShape(
                        row.getBoolean("partitioned"), row.getBoolean("untimed"), row.getString("collation")))
                .findOne()
                .orElseThrow(() -> new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "relation: %s, or a column of its order key, does not exist any more"
                                .formatted(source.relation().quoted())));
    }

    public Optional<TailSource> find(Tx tx, String name) {
        return tx.query(LIST)
                .bind("name", name)
                .map((row, context) -> source(row))
                .findOne();
    }

    /** All sources, by name. */
    public List<TailSource> list(Tx tx) {
        return tx.query(LIST)
                .bind("name", (String) null)
                .map((row, context) -> source(row))
                .list();
    }

    /** Which rows no cursor can see, by source name; sources without such rows are left out. */
    public SortedMap<String, String> notKnown(Tx tx) {
        SortedMap<String, String> found = new TreeMap<>();
        tx.query(NOT_KNOWN)
                .map((row, context) -> Map.entry(row.getString("source_name"), row.getString("not_known")))
                .forEach(one -> found.put(one.getKey(), one.getValue()));
        return found;
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
                duration(row.getDouble("poll_seconds")),
                duration(row.getDouble("lag_seconds")),
                duration(row.getDouble("reread_seconds")));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    private static Duration duration(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }
}
