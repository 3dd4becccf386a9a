package dev.oneroof.core.tabletail;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Cursors, in {@code gov_worker_cursor}. */
public final class CursorStore {
    private static final String CREATE = """
            INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name, shard, event_domain, phase)
            VALUES (:worker, :source, :shard, :domain, :phase)
            ON CONFLICT (worker_name, source_name, shard) DO NOTHING
            """;

    private static final String FIND = """
            SELECT last_watermark_ts, last_watermark_id, settled_ts, settled_id, events_seen, attempts_written, phase
            FROM oneroof.gov_worker_cursor
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
            """;

    // What holds for the batch rides on the statement that opens it, to save round trips: the reading timeout, the
    // session's name, and no sort where an index has the order. Without statistics, or with the plan for any
    // parameters, the
    // planner expects a handful of rows between two watermarks, and would fetch and sort all there are for every page.
    private static final String OPEN_BATCH = """
            SELECT last_watermark_ts, last_watermark_id, settled_ts, settled_id, events_seen, attempts_written, phase,
                   set_config('statement_timeout', :timeout, true),
                   set_config('application_name', oneroof.fn_session_name(:epoch), true),
                   set_config('enable_sort', 'off', true)
            FROM oneroof.gov_worker_cursor
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
            """;

    // Moves only from the very place the batch was read from: a replay that came between makes it miss. Head goes up
    // only: a late row lies below it.
    private static final String ADVANCE = """
            UPDATE oneroof.gov_worker_cursor
            SET last_watermark_ts = CASE WHEN moved.up THEN :head_ts ELSE last_watermark_ts END,
                last_watermark_id = CASE WHEN moved.up THEN :head_id ELSE last_watermark_id END,
                settled_ts = :settled_ts,
                settled_id = :settled_id,
                highest_settled_ts = :settled_ts,
                highest_settled_id = :settled_id,
                events_seen = events_seen + :rows_seen,
                attempts_written = attempts_written + :effects_written,
                last_run_at = clock_timestamp(),
                last_run_summary = jsonb_build_object(
                    'batch_count', CAST(:run_batches AS bigint),
                    'rows_seen', CAST(:run_rows AS bigint),
                    'dirty_marked', CAST(:run_effects AS bigint),
                    'dlq', 0,
                    'snapshot_ref', pg_current_snapshot()::text,
                    'ruleset_version', (SELECT value FROM oneroof.dot_config WHERE key = 'governance.ruleset_version'),
                    'started_at', CASE
                        WHEN CAST(:run_batches AS bigint) <= 1 THEN to_jsonb(now())
                        ELSE last_run_summary -> 'started_at'
                    END,
                    'ended_at', clock_timestamp()),
                updated_at = clock_timestamp()
            FROM (
                SELECT %s AS up
                FROM oneroof.gov_worker_cursor
                WHERE worker_name = :worker AND source_name = :source AND shard = :shard) moved
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND last_watermark_ts IS NOT DISTINCT FROM :old_head_ts
              AND last_watermark_id IS NOT DISTINCT FROM :old_head_id
              AND settled_ts IS NOT DISTINCT FROM :old_settled_ts
              AND settled_id IS NOT DISTINCT FROM :old_settled_id
            """;

    public void create(Tx tx, Scope scope, String domain, String phase) {
        tx.update(CREATE)
                .bindMap(java.util.Map.of("worker", scope.worker(), "source", scope.source(), "shard", scope.shard()))
                .bind("domain", domain)
                .bind("phase", phase)
                .execute();
    }

    public Optional<Cursor> find(Tx tx, Scope scope) {
        return tx.query(FIND)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .map((row, context) -> cursor(scope, row))
                .findOne();
    }

    /** The cursor at the start of a batch; whatever this transaction reads from here on is under the timeout. */
    Optional<Cursor> openBatch(Tx tx, Lease lease, Duration readTimeout) {
        Scope scope = lease.scope();
        return tx.query(OPEN_BATCH)
                .bind("epoch", lease.epoch().value())
                .bind("timeout", readTimeout.toMillis() + "ms")
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .map((row, context) -> cursor(scope, row))
                .findOne();
    }

    /** Where a batch takes the two hands: head is null where it stays. */
    record Move(@Nullable Watermark head, @Nullable Watermark settled) {}

    /** False when the cursor is no longer where the batch began. */
    boolean advance(Tx tx, TailSource source, Cursor from, Move to, Batch batch, RunSummary run) {
        Scope scope = from.scope();
        int rows = tx.update(ADVANCE.formatted(isHigher(source, to.head())))
                .bind("head_ts", Watermark.tsOf(to.head()))
                .bind("head_id", Watermark.idOf(to.head()))
                .bind("settled_ts", Watermark.tsOf(to.settled()))
                .bind("settled_id", Watermark.idOf(to.settled()))
                .bind("rows_seen", batch.rowsSeen())
                .bind("effects_written", batch.effectsWritten())
                .bind("run_batches", run.batchCount())
                .bind("run_rows", run.rowsSeen())
                .bind("run_effects", run.effectsWritten())
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("old_head_ts", Watermark.tsOf(from.head()))
                .bind("old_head_id", Watermark.idOf(from.head()))
                .bind("old_settled_ts", Watermark.tsOf(from.settled()))
                .bind("old_settled_id", Watermark.idOf(from.settled()))
                .execute();
        return rows == 1;
    }

    private static String isHigher(TailSource source, @Nullable Watermark head) {
        if (head == null) {
            return "false";
        }
        OrderKey key = new OrderKey(source);
        String id = "CAST(:head_id AS %1$s) > CAST(last_watermark_id AS %1$s)".formatted(key.idType());
        String higher = source.time() == null
                ? id
                : "(CAST(:head_ts AS %1$s), CAST(:head_id AS %2$s)) > (CAST(last_watermark_ts AS %1$s), CAST(last_watermark_id AS %2$s))"
                        .formatted(key.tsType(), key.idType());
        return "(last_watermark_id IS NULL OR %s)".formatted(higher);
    }

    private static Cursor cursor(Scope scope, ResultSet row) throws SQLException {
        return new Cursor(
                scope,
                Watermark.ofNullable(row.getString("last_watermark_ts"), row.getString("last_watermark_id")),
                Watermark.ofNullable(row.getString("settled_ts"), row.getString("settled_id")),
                row.getLong("events_seen"),
                row.getLong("attempts_written"),
                row.getString("phase"));
    }
}
