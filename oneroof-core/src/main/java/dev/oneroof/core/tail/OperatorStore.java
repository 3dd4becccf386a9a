package dev.oneroof.core.tail;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes the acts of operators on cursors and dead letters. */
final class OperatorStore {
    // A new version of the row: a batch that is running cannot commit over it. Its own look for a pause would not do,
    // as its
    // snapshot may be older than the pause.
    private static final String INTERRUPT = """
            UPDATE oneroof.gov_worker_cursor
            SET version = version + 1, updated_at = clock_timestamp()
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
            """;

    // The operator accepts the present position of the cursor on this server.
    private static final String ACCEPT = """
            UPDATE oneroof.gov_worker_cursor
            SET hold_state = NULL, hold_reason = NULL,
                seen_system = NULL, seen_xid = NULL, seen_lsn = NULL,
                highest_settled_ts = settled_ts, highest_settled_id = settled_id, replay = NULL,
                version = version + 1,
                updated_at = clock_timestamp()
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard AND hold_state IS NOT NULL
            """;

    // The stretch first, the cursor second: the order in which batches lock them.
    private static final String FORGET_KEYS = """
            DELETE FROM oneroof.tail_stretch
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard AND (NOT untimed OR :from_the_start)
            """;

    private static final String SET_BACK = """
            UPDATE oneroof.gov_worker_cursor
            SET settled_ts = :to_ts, settled_id = :to_id,
                last_watermark_ts = :to_ts, last_watermark_id = :to_id,
                kept_ts = :to_ts, kept_id = :to_id,
                version = version + 1,
                replay = jsonb_build_object(
                    'actor', CAST(:actor AS text), 'reason', CAST(:reason AS text),
                    'from', concat_ws(',', settled_ts, settled_id), 'at', clock_timestamp()),
                updated_at = clock_timestamp()
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND version = :version
            """;

    private static final String FORGET_SKIPS = "DELETE FROM oneroof.tail_skip WHERE expires_at < clock_timestamp()";

    private static final String SKIP = """
            INSERT INTO oneroof.tail_skip (worker_name, source_name, shard, holder, expires_at)
            VALUES (:worker, :source, :shard, :holder, clock_timestamp() + make_interval(secs => :seconds))
            """;

    private static final String IS_OPEN =
            "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_locks WHERE virtualtransaction = :holder)";

    private static final String DEAD = """
            SELECT pending_id, worker_name, source_name, shard, key_ts, key_id, entity_table, error_count, last_error,
                   last_sqlstate, fingerprint, dead_lettered_at::text AS dead_lettered_at, triage_status
            FROM oneroof.event_pending
            WHERE processed_at IS NULL AND dead_lettered_at IS NOT NULL
              AND (CAST(:source AS text) IS NULL OR source_name = :source)
              AND (CAST(:id AS bigint) IS NULL OR pending_id = :id)
              AND pending_id > :after
            ORDER BY pending_id
            LIMIT :limit
            """;

    // Retried from the first attempt on, in the worker's next pass.
    private static final String REPLAY_DEAD = """
            UPDATE oneroof.event_pending
            SET dead_lettered_at = NULL, next_attempt_at = clock_timestamp(), error_count = 0,
                triage_status = 'manual_replay', triaged_by = :actor,
                triage_note = :reason, updated_at = clock_timestamp()
            WHERE processed_at IS NULL AND dead_lettered_at IS NOT NULL
              AND (CAST(:source AS text) IS NULL OR source_name = :source)
              AND (CAST(:id AS bigint) IS NULL OR pending_id = :id)
            """;

    /** Has a running batch of the cursor roll back; false where there is no cursor. */
    boolean interrupt(Tx tx, Scope scope) {
        return onCursor(tx, INTERRUPT, scope);
    }

    boolean accept(Tx tx, Scope scope) {
        return onCursor(tx, ACCEPT, scope);
    }

    private static boolean onCursor(Tx tx, String sql, Scope scope) {
        return tx.update(sql)
                        .bind("worker", scope.worker())
                        .bind("source", scope.source())
                        .bind("shard", scope.shard())
                        .execute()
                == 1;
    }

    /** False when the cursor has moved since it was read. */
    boolean setBack(Tx tx, Scope scope, OperatorAct by, Cursor seen, @Nullable Watermark to) {
        forgetKeys(tx, scope, to);
        return tx.update(SET_BACK)
                        .bind("to_ts", Watermark.tsOf(to))
                        .bind("to_id", Watermark.idOf(to))
                        .bind("version", seen.version())
                        .bind("actor", by.actor())
                        .bind("reason", by.reason())
                        .bind("worker", scope.worker())
                        .bind("source", scope.source())
                        .bind("shard", scope.shard())
                        .execute()
                == 1;
    }

    void forgetKeys(Tx tx, Scope scope, @Nullable Watermark behind) {
        tx.update(FORGET_KEYS)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("from_the_start", behind == null)
                .execute();
    }

    boolean isOpen(Tx tx, String holder) {
        return tx.query(IS_OPEN).bind("holder", holder).mapTo(Boolean.class).one();
    }

    void skip(Tx tx, Scope scope, String holder, Duration expiry) {
        tx.update(FORGET_SKIPS).execute();
        tx.update(SKIP)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .bind("holder", holder)
                .bind("seconds", expiry.toMillis() / 1000.0)
                .execute();
    }

    List<DeadLetter> dead(Tx tx, @Nullable String source, @Nullable Long id, long after, int limit) {
        return tx.query(DEAD)
                .bind("source", source)
                .bind("id", id)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> new DeadLetter(
                        row.getLong("pending_id"),
                        new Scope(row.getString("worker_name"), row.getString("source_name"), row.getInt("shard")),
                        Optional.ofNullable(Watermark.ofNullable(row.getString("key_ts"), row.getString("key_id")))
                                .orElseThrow(),
                        row.getString("entity_table"),
                        row.getInt("error_count"),
                        row.getString("last_error"),
                        row.getString("last_sqlstate"),
                        row.getString("fingerprint"),
                        row.getString("dead_lettered_at"),
                        row.getString("triage_status")))
                .list();
    }

    int replayDead(Tx tx, OperatorAct by, @Nullable String source, @Nullable Long id) {
        return tx.update(REPLAY_DEAD)
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .bind("source", source)
                .bind("id", id)
                .execute();
    }
}
