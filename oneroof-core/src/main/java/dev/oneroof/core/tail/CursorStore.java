package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and writes cursors, in {@code gov_worker_cursor}. */
public final class CursorStore {
    private static final String CREATE = """
            INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name, shard, event_domain, phase)
            VALUES (:worker, :source, :shard, :domain, :phase)
            ON CONFLICT (worker_name, source_name, shard) DO NOTHING
            """;

    private static final String FIND = """
            SELECT worker_name, source_name, shard, last_watermark_ts, last_watermark_id, settled_ts, settled_id,
                   kept_ts, kept_id, events_seen, attempts_written, dead_lettered, phase, version, hold_state, hold_reason,
                   p.actor AS pause_actor, p.reason AS pause_reason, p.until::text AS pause_until
            FROM oneroof.gov_worker_cursor
            LEFT JOIN oneroof.worker_pause p
              ON p.executor_name = concat(worker_name, '/', source_name, '/', shard)
             AND (p.until IS NULL OR p.until > clock_timestamp())
            WHERE (CAST(:worker AS text) IS NULL OR worker_name = :worker)
              AND (CAST(:source AS text) IS NULL OR source_name = :source)
              AND (CAST(:shard AS integer) IS NULL OR shard = :shard)
            ORDER BY worker_name, source_name, shard
            """;

    // The settings of the batch are part of the statement that opens it, to save round trips: the statement timeout,
    // the idle timeout (the session of a frozen owner ends by itself), the session's name, and no sort where an index
    // has the order. Without statistics, or with a generic plan, the planner expects a handful of rows between two
    // watermarks, and would fetch and sort all rows for every page. With sorts off, the remaining sort of a few keys
    // gets a cost that would trigger JIT: hence no JIT. A million handled keys must be hashed, however little memory
    // the server is configured with: a scan of them for every row would not end.
    static final String OPEN_BATCH = """
            SELECT last_watermark_ts, last_watermark_id, settled_ts, settled_id, version,
                   set_config('statement_timeout', :timeout, true),
                   set_config('idle_in_transaction_session_timeout', :idle, true),
                   set_config('application_name', oneroof.fn_session_name(:epoch), true),
                   set_config('enable_sort', 'off', true),
                   set_config('jit', 'off', true),
                   set_config('hash_mem_multiplier', '32', true)
            FROM oneroof.gov_worker_cursor
            WHERE ctid = CAST(:tid AS tid) AND worker_name = :worker AND source_name = :source AND shard = :shard
            """;

    // Moves only from the exact position the batch was read from, and only while the cursor is neither held nor paused:
    // a replay or a pause in between matches no row, and so does a watermark that would move back. Head only moves up:
    // a late row is below it. The highest settled watermark stays until a replay has reached it.
    private static final String ADVANCE = """
            UPDATE oneroof.gov_worker_cursor
            SET last_watermark_ts = CASE WHEN %1$s THEN :head_ts ELSE last_watermark_ts END,
                last_watermark_id = CASE WHEN %1$s THEN :head_id ELSE last_watermark_id END,
                settled_ts = :settled_ts,
                settled_id = :settled_id,
                highest_settled_ts = CASE WHEN %2$s THEN :settled_ts ELSE highest_settled_ts END,
                highest_settled_id = CASE WHEN %2$s THEN :settled_id ELSE highest_settled_id END,
                replay = CASE WHEN %2$s THEN NULL ELSE replay END,
                kept_ts = :kept_ts,
                kept_id = :kept_id,
                seen_system = coalesce(:system, seen_system),
                seen_xid = pg_current_xact_id()::text,
                seen_lsn = pg_current_wal_insert_lsn(),
                events_seen = events_seen + :rows_seen,
                attempts_written = attempts_written + :effects_written,
                dead_lettered = dead_lettered + :dead_lettered,
                last_run_at = clock_timestamp(),
                last_run_summary = jsonb_build_object(
                    'batch_count', CAST(:run_batches AS bigint),
                    'rows_seen', CAST(:run_rows AS bigint),
                    %4$s,
                    'snapshot_ref', pg_current_snapshot()::text,
                    'started_at', CASE
                        WHEN CAST(:run_batches AS bigint) <= 1 THEN to_jsonb(now())
                        ELSE last_run_summary -> 'started_at'
                    END,
                    'ended_at', clock_timestamp()),
                version = version + 1,
                updated_at = clock_timestamp()
            WHERE ctid = CAST(:tid AS tid) AND worker_name = :worker AND source_name = :source AND shard = :shard
              AND version = :version
              AND last_watermark_ts IS NOT DISTINCT FROM :old_head_ts
              AND last_watermark_id IS NOT DISTINCT FROM :old_head_id
              AND settled_ts IS NOT DISTINCT FROM :old_settled_ts
              AND settled_id IS NOT DISTINCT FROM :old_settled_id
              AND hold_state IS NULL
              AND NOT EXISTS (
                  SELECT FROM oneroof.worker_pause
                  WHERE executor_name = :executor AND (until IS NULL OR until > clock_timestamp()))
              AND %3$s
            RETURNING ctid::text
            """;

    static final String PLAIN_SUMMARY_FIELDS = """
            'effects_written', CAST(:run_effects AS bigint),
                    'dead_lettered', CAST(:run_dead AS bigint)""";

    private static final String HOLD = """
            UPDATE oneroof.gov_worker_cursor
            SET hold_state = :state, hold_reason = :reason, updated_at = clock_timestamp()
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard AND hold_state IS NULL
            """;

    // Detects another server, or one that was restored to before the last commit. The transaction that wrote seen_xid
    // was committed, so every later snapshot is above it, after any crash.
    private static final String COMMITTED_STATE = """
            SELECT c.ctid::text AS tid,
                   here.system_identifier::text AS system,
                   c.seen_system <> here.system_identifier::text AS another_server,
                   CAST(c.seen_xid AS xid8) >= pg_snapshot_xmax(pg_current_snapshot()) AS another_xid,
                   c.seen_lsn > pg_current_wal_insert_lsn() AS another_lsn,
                   c.highest_settled_ts,
                   c.highest_settled_id,
                   c.replay IS NULL
                       AND (c.highest_settled_ts IS NOT NULL OR c.highest_settled_id IS NOT NULL)
                       AND NOT coalesce(%s, false) AS regressed
            FROM oneroof.gov_worker_cursor c
            CROSS JOIN pg_catalog.pg_control_system() here
            WHERE c.worker_name = :worker AND c.source_name = :source AND c.shard = :shard
            """;

    public void create(Tx tx, Scope scope, String domain, String phase) {
        tx.update(CREATE)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("domain", domain)
                .bind("phase", phase)
                .execute();
    }

    public Optional<Cursor> find(Tx tx, Scope scope) {
        return find(tx, scope.worker(), scope.source(), scope.shard()).stream().findFirst();
    }

    public List<Cursor> list(Tx tx) {
        return find(tx, null, null, null);
    }

    /** The cursors of a source, by worker. */
    List<Cursor> of(Tx tx, String source) {
        return find(tx, null, source, null);
    }

    private static List<Cursor> find(Tx tx, @Nullable String worker, @Nullable String source, @Nullable Integer shard) {
        return tx.query(FIND)
                .bind("worker", worker)
                .bind("source", source)
                .bind("shard", shard)
                .map((row, context) -> cursor(row))
                .list();
    }

    /** The cursor at the start of a batch. */
    record BatchStart(
            String tid, @Nullable Watermark head, @Nullable Watermark settled, long version) {}

    /**
     * Reads the cursor at the start of a batch; all later statements of the transaction are under the timeouts. Empty
     * when its row has moved.
     */
    Optional<BatchStart> openBatch(Tx tx, Lease lease, String tid, Duration readTimeout) {
        Scope scope = lease.scope();
        return tx.query(OPEN_BATCH)
                .bind("epoch", lease.epoch().value())
                .bind("timeout", readTimeout.toMillis() + "ms")
                .bind("tid", tid)
                .bind("idle", Math.max(1000, lease.timeToLive().toMillis() * 9 / 10) + "ms")
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .map((row, context) -> new BatchStart(
                        tid,
                        Watermark.ofNullable(row.getString("last_watermark_ts"), row.getString("last_watermark_id")),
                        Watermark.ofNullable(row.getString("settled_ts"), row.getString("settled_id")),
                        row.getLong("version")))
                .findOne();
    }

    /** The new position of the cursor; head is null where it stays. */
    record Move(
            @Nullable Watermark head,
            @Nullable Watermark settled,
            @Nullable Watermark kept) {}

    /**
     * The new ctid of its row; empty when the cursor was moved since the batch started, may not move, or would move
     * back.
     */
    Optional<String> advance(
            Tx tx,
            OrderKey key,
            Scope scope,
            BatchStart from,
            Move to,
            BatchCounts batch,
            RunSummary run,
            RunSummaryFields fields,
            @Nullable String system) {
        String up = to.head() == null
                ? "false"
                : "(last_watermark_id IS NULL OR NOT "
                        + key.isNotLower("last_watermark_ts", "last_watermark_id", ":head_ts", ":head_id") + ")";
        String highest = "(replay IS NULL OR "
                + key.isNotLower(":settled_ts", ":settled_id", "highest_settled_ts", "highest_settled_id") + ")";
        String forward = from.settled() == null || from.settled().equals(to.settled())
                ? "true"
                : "coalesce(" + key.isNotLower(":settled_ts", ":settled_id", "settled_ts", "settled_id") + ", false)";
        return tx.query(ADVANCE.formatted(up, highest, forward, fields.sql()))
                .bind("head_ts", Watermark.tsOf(to.head()))
                .bind("head_id", Watermark.idOf(to.head()))
                .bind("settled_ts", Watermark.tsOf(to.settled()))
                .bind("settled_id", Watermark.idOf(to.settled()))
                .bind("kept_ts", Watermark.tsOf(to.kept()))
                .bind("kept_id", Watermark.idOf(to.kept()))
                .bind("system", system)
                .bind("rows_seen", batch.rowsSeen())
                .bind("effects_written", batch.effectsWritten())
                .bind("dead_lettered", batch.deadLettered())
                .bind("run_batches", run.batchCount())
                .bind("run_rows", run.rowsSeen())
                .bind("run_effects", run.effectsWritten())
                .bind("run_dead", run.deadLettered())
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("version", from.version())
                .bind("old_head_ts", Watermark.tsOf(from.head()))
                .bind("old_head_id", Watermark.idOf(from.head()))
                .bind("old_settled_ts", Watermark.tsOf(from.settled()))
                .bind("old_settled_id", Watermark.idOf(from.settled()))
                .bind("executor", scope.executorName())
                .bind("tid", from.tid())
                .mapTo(String.class)
                .findOne();
    }

    /** Holds the cursor until an operator accepts it; a cursor that is already held stays as it is. */
    void hold(Tx tx, Scope scope, String state, String reason) {
        tx.update(HOLD)
                .bind("state", state)
                .bind("reason", reason)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .execute();
    }

    /**
     * The committed state of a cursor, compared with the server.
     *
     * @param highestSettled the settled watermark before a replay set it back, otherwise the present one
     * @param broken why the cursor cannot continue on this server; null where it can
     */
    record CommittedState(
            String tid,
            String system,
            @Nullable String broken,
            boolean regressed,
            @Nullable Watermark highestSettled) {}

    CommittedState committedState(Tx tx, Scope scope, OrderKey key) {
        return tx.query(COMMITTED_STATE.formatted(
                        key.isNotLower("c.settled_ts", "c.settled_id", "c.highest_settled_ts", "c.highest_settled_id")))
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .map((row, context) -> new CommittedState(
                        row.getString("tid"),
                        row.getString("system"),
                        broken(row),
                        row.getBoolean("regressed"),
                        Watermark.ofNullable(row.getString("highest_settled_ts"), row.getString("highest_settled_id"))))
                .one();
    }

    private static @Nullable String broken(ResultSet row) throws SQLException {
        if (row.getBoolean("another_server")) {
            return "the server is not the one that the cursor last ran on";
        }
        if (row.getBoolean("another_xid")) {
            return "the server's transactions are behind the cursor's last one: it was restored to an earlier time";
        }
        return row.getBoolean("another_lsn") ? "the server's log is behind the cursor's last write" : null;
    }

    private static Cursor cursor(ResultSet row) throws SQLException {
        return new Cursor(
                new Scope(row.getString("worker_name"), row.getString("source_name"), row.getInt("shard")),
                Watermark.ofNullable(row.getString("last_watermark_ts"), row.getString("last_watermark_id")),
                Watermark.ofNullable(row.getString("settled_ts"), row.getString("settled_id")),
                Watermark.ofNullable(row.getString("kept_ts"), row.getString("kept_id")),
                row.getLong("events_seen"),
                row.getLong("attempts_written"),
                row.getLong("dead_lettered"),
                row.getString("phase"),
                row.getLong("version"),
                state(row));
    }

    private static Cursor.State state(ResultSet row) throws SQLException {
        String held = row.getString("hold_state");
        if (held != null) {
            return new Cursor.State.Held(held, row.getString("hold_reason"));
        }
        String pausedBy = row.getString("pause_actor");
        return pausedBy == null
                ? new Cursor.State.Active()
                : new Cursor.State.Paused(pausedBy, row.getString("pause_reason"), row.getString("pause_until"));
    }
}
