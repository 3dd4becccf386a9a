package dev.oneroof.core.tail;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Optional;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.Update;

/** Changes a registered source and its cursors. */
final class AlterStore {
    private static final String LIMIT_LOCK_WAIT = "SELECT set_config('lock_timeout', '5s', true)";

    private static final String LIMIT_COUNT_TIME = "SELECT set_config('statement_timeout', '5s', true)";

    // The source first, its cursors second, as when it is removed. This waits for a batch that is under way; a batch
    // that waits for this finds another version of its cursor, and is not committed.
    private static final String LOCK_SOURCE = """
            SELECT source_name
            FROM oneroof.tail_source
            WHERE source_name = :name
            FOR UPDATE
            """;

    private static final String LOCK_CURSORS = """
            SELECT worker_name
            FROM oneroof.gov_worker_cursor
            WHERE source_name = :name
            ORDER BY worker_name, shard
            FOR NO KEY UPDATE
            """;

    private static final String ALTER = """
            UPDATE oneroof.tail_source
            SET time_zone = :zone, order_contract = :contract, mode = :mode, filter = :filter, batch_size = :batch_size,
                poll_interval = make_interval(secs => :poll_seconds),
                lag_threshold = make_interval(secs => :lag_seconds),
                reread_window = make_interval(secs => :reread_seconds),
                updated_at = clock_timestamp()
            WHERE source_name = :name
            """;

    // The owner detects the change by the version: in the batch that is under way, or in the next.
    private static final String GO_ON = """
            UPDATE oneroof.gov_worker_cursor
            SET version = version + 1, updated_at = clock_timestamp()
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
            """;

    // Between kept and settled all handled keys are stored: settled moves back, and the keys tell which rows above it
    // are handled. The replay is recorded, so that a cursor below its highest settled watermark is not taken for a
    // regression.
    private static final String READ_AGAIN = """
            UPDATE oneroof.gov_worker_cursor
            SET settled_ts = kept_ts, settled_id = kept_id,
                replay = jsonb_build_object(
                    'actor', CAST(:actor AS text), 'reason', CAST(:reason AS text),
                    'from', concat_ws(',', settled_ts, settled_id), 'at', clock_timestamp()),
                version = version + 1, updated_at = clock_timestamp()
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
            """;

    private static final String REOPEN_KEYS = """
            UPDATE oneroof.tail_stretch
            SET settled_at = NULL, settled_ts = NULL, settled_id = NULL
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND settled_at IS NOT NULL AND NOT untimed
            """;

    private final CursorReportStore reports = new CursorReportStore();

    /** False where there is no such source. */
    boolean lockSource(Tx tx, String name) {
        tx.query(LIMIT_LOCK_WAIT).mapTo(String.class).one();
        return tx.query(LOCK_SOURCE)
                .bind("name", name)
                .mapTo(String.class)
                .findOne()
                .isPresent();
    }

    void lockCursors(Tx tx, String name) {
        tx.query(LOCK_CURSORS).bind("name", name).mapTo(String.class).list();
    }

    /** How many rows a page has; empty where counting takes over 5 s: a filter may drop most rows. */
    Optional<CursorReport.Preview> counted(Tx tx, KeysetPage page) {
        try {
            return Optional.of(tx.undone(() -> {
                tx.query(LIMIT_COUNT_TIME).mapTo(String.class).one();
                return reports.preview(tx, page);
            }));
        } catch (JdbiException e) {
            if (!SqlState.isTimeout(e)) {
                throw e;
            }
            return Optional.empty();
        }
    }

    void alter(Tx tx, TailSource source) {
        TailSource.TimeColumn time = source.time();
        tx.update(ALTER)
                .bind("name", source.name())
                .bind("zone", time == null ? null : time.zone())
                .bind("contract", source.contract().sql())
                .bind("mode", source.mode().sql())
                .bind("filter", source.filter())
                .bind("batch_size", source.batchSize())
                .bind("poll_seconds", seconds(source.pollInterval()))
                .bind("lag_seconds", seconds(source.lagThreshold()))
                .bind("reread_seconds", seconds(source.rereadWindow()))
                .execute();
    }

    /** The kept keys belong to rows above settled again. */
    void reopenKeys(Tx tx, Scope scope) {
        bound(tx.update(REOPEN_KEYS), scope).execute();
    }

    void goOn(Tx tx, Scope scope) {
        bound(tx.update(GO_ON), scope).execute();
    }

    /** Moves settled back to the start of the kept keys. */
    void readAgain(Tx tx, Scope scope, OperatorAct by) {
        bound(tx.update(READ_AGAIN), scope)
                .bind("actor", by.actor())
                .bind("reason", by.reason())
                .execute();
    }

    private static Update bound(Update update, Scope scope) {
        return update.bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard());
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
