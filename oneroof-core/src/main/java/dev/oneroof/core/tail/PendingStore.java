package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.read.StretchStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and writes the rows that could not be handled, in {@code event_pending}. */
final class PendingStore {
    // Sets aside the row whose key was just captured, with its failure. It may be pending already, after a replay.
    private static final String SET_ASIDE = """
            INSERT INTO oneroof.event_pending
                (purpose, worker_name, source_name, shard, key_ts, key_id, event_domain, entity_table, entity_ref,
                 error_count, last_error, last_sqlstate, fingerprint, next_attempt_at)
            SELECT 'retry', s.worker_name, s.source_name, s.shard, nullif(k.ts, ''), k.id, :domain, :entity_table, k.id,
                   1, :error, :state, :fingerprint, clock_timestamp() + make_interval(secs => :pause)
            FROM oneroof.tail_stretch s
            CROSS JOIN LATERAL unnest(s.keys_ts, s.keys_id) k (ts, id)
            WHERE s.worker_name = :worker AND s.source_name = :source AND s.shard = :shard
              AND s.batch_no BETWEEN :first AND :last
            ON CONFLICT (worker_name, source_name, shard, purpose, key_id, (coalesce(key_ts, ''))) WHERE processed_at IS NULL
            DO UPDATE SET last_error = EXCLUDED.last_error,
                          last_sqlstate = EXCLUDED.last_sqlstate,
                          fingerprint = EXCLUDED.fingerprint,
                          updated_at = clock_timestamp()
            """;

    // The clock is read once: a value that is computed for each row cannot be looked up in an index.
    private static final String DUE = """
            SELECT pending_id, key_ts, key_id, error_count
            FROM oneroof.event_pending
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND purpose = 'retry' AND processed_at IS NULL AND dead_lettered_at IS NULL
              AND next_attempt_at <= (SELECT clock_timestamp())
            ORDER BY next_attempt_at
            LIMIT :limit
            """;

    // Few rows, fetched by their keys: a sort is cheap.
    private static final String STILL_DUE = """
            SELECT pending_id, key_ts, key_id, error_count, set_config('enable_sort', 'on', true)
            FROM oneroof.event_pending
            WHERE pending_id = ANY (CAST(:ids AS bigint[]))
              AND processed_at IS NULL AND dead_lettered_at IS NULL AND next_attempt_at <= clock_timestamp()
            ORDER BY pending_id
            FOR NO KEY UPDATE
            """;

    private static final String PROCESSED = """
            UPDATE oneroof.event_pending
            SET processed_at = clock_timestamp(), next_attempt_at = NULL, updated_at = clock_timestamp()
            WHERE pending_id = ANY (CAST(:ids AS bigint[]))
              AND processed_at IS NULL AND dead_lettered_at IS NULL
            """;

    private static final String FAILED = """
            UPDATE oneroof.event_pending
            SET error_count = error_count + 1,
                last_error = :error,
                last_sqlstate = :state,
                fingerprint = :fingerprint,
                next_attempt_at = CASE WHEN :dead THEN NULL ELSE clock_timestamp() + make_interval(secs => :pause) END,
                dead_lettered_at = CASE WHEN :dead THEN clock_timestamp() END,
                triage_status = CASE WHEN :dead THEN 'new' ELSE triage_status END,
                updated_at = clock_timestamp()
            WHERE pending_id = :id AND processed_at IS NULL AND dead_lettered_at IS NULL
            """;

    private static final String WAITING = """
            SELECT count(*)
            FROM (SELECT 1
                  FROM oneroof.event_pending
                  WHERE worker_name = :worker AND source_name = :source AND shard = :shard
                    AND purpose = 'retry' AND processed_at IS NULL AND dead_lettered_at IS NULL
                  LIMIT :cap) capped
            """;

    private static final String DEAD = """
            SELECT count(*)
            FROM (SELECT 1
                  FROM oneroof.event_pending
                  WHERE worker_name = :worker AND source_name = :source AND shard = :shard
                    AND processed_at IS NULL AND dead_lettered_at IS NOT NULL AND triage_status <> 'closed'
                  LIMIT :cap) capped
            """;

    /** A row that waits for a retry. */
    record PendingRow(long id, @Nullable String keyTs, String keyId, int errors) {}

    void setAside(Tx tx, TailSpec spec, TailSource source, StretchStore.Captured row, RowFailure why, double pause) {
        Scope scope = spec.scope();
        tx.update(SET_ASIDE)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("domain", spec.domain())
                .bind("entity_table", source.relation().quoted())
                .bind("first", row.firstBatch())
                .bind("last", row.lastBatch())
                .bind("error", why.message())
                .bind("state", why.sqlState())
                .bind("fingerprint", why.fingerprint())
                .bind("pause", pause)
                .execute();
    }

    List<PendingRow> due(Tx tx, Scope scope, int limit) {
        return tx.query(DUE)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("limit", limit)
                .map((row, context) -> waiting(row))
                .list();
    }

    /** The rows that are still due, locked. */
    List<PendingRow> stillDue(Tx tx, List<PendingRow> rows) {
        return tx.query(STILL_DUE)
                .bind("ids", PendingPage.idsOf(rows))
                .map((row, context) -> waiting(row))
                .list();
    }

    private static PendingRow waiting(ResultSet row) throws SQLException {
        return new PendingRow(
                row.getLong("pending_id"), row.getString("key_ts"), row.getString("key_id"), row.getInt("error_count"));
    }

    void processed(Tx tx, List<PendingRow> rows) {
        tx.update(PROCESSED).bind("ids", PendingPage.idsOf(rows)).execute();
    }

    /** The row failed again: its next attempt is later, or it becomes a dead letter. */
    void failed(Tx tx, PendingRow row, RowFailure why, Optional<Double> pause) {
        tx.update(FAILED)
                .bind("id", row.id())
                .bind("error", why.message())
                .bind("state", why.sqlState())
                .bind("fingerprint", why.fingerprint())
                .bind("dead", pause.isEmpty())
                .bind("pause", pause.orElse(0.0))
                .execute();
    }

    /** How many rows of the scope wait for a retry, counted up to a cap. */
    long waiting(Tx tx, Scope scope, long cap) {
        return tx.query(WAITING)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("cap", cap)
                .mapTo(Long.class)
                .one();
    }

    /** How many dead letters of the scope are open, counted up to a cap. */
    long dead(Tx tx, Scope scope, long cap) {
        return tx.query(DEAD)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("cap", cap)
                .mapTo(Long.class)
                .one();
    }
}
