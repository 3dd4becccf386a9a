package dev.oneroof.core.tabletail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Changes a registered source, and what its cursors have to know of the change. */
final class AlterStore {
    private static final String WAIT_NOT_FOR_EVER = "SELECT set_config('lock_timeout', '5s', true)";

    private static final String COUNT_NOT_FOR_EVER = "SELECT set_config('statement_timeout', '5s', true)";

    // The source first, its cursors second, as when it is removed. A batch that is under way is waited for; one that
    // waits for this finds another version of its cursor, and is not committed.
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

    // Its owner notices by the version: in the batch that is under way, or at the next.
    private static final String GO_ON = """
            UPDATE oneroof.gov_worker_cursor
            SET prior_filters = CAST(:priors AS jsonb), version = version + 1, updated_at = clock_timestamp()
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
            """;

    // The keys above settled stay: they are handled. What lies below and was handled is left out by its filter. The
    // rows that come now were never handed out, so that the highest settled watermark goes back as well.
    private static final String READ_AGAIN = """
            UPDATE oneroof.gov_worker_cursor
            SET settled_ts = :to_ts, settled_id = :to_id,
                last_watermark_ts = :to_ts, last_watermark_id = :to_id,
                kept_ts = :to_ts, kept_id = :to_id,
                highest_settled_ts = :to_ts, highest_settled_id = :to_id, replay = NULL,
                prior_filters = CAST(:priors AS jsonb), version = version + 1, updated_at = clock_timestamp()
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
            """;

    // They were handled under the old filter. Under the new one settled passes them without a look, and would forget
    // them: a third filter could let them through again.
    private static final String KEEP_KEYS = """
            UPDATE oneroof.tail_stretch
            SET for_good = true
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND settled_at IS NULL AND NOT untimed AND NOT for_good
            """;

    private static final String OPEN_KEYS = """
            SELECT coalesce(sum(key_count), 0)
            FROM oneroof.tail_stretch
            WHERE worker_name = :worker AND source_name = :source AND shard = :shard
              AND settled_at IS NULL AND NOT untimed
            """;

    private static final String PRIORS = """
            SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('filter', p.filter, 'ts', p.ts, 'id', p.id))
                                      ORDER BY p.place), '[]')::text
            FROM unnest(CAST(:filters AS text[]), CAST(:times AS text[]), CAST(:ids AS text[]))
                WITH ORDINALITY p (filter, ts, id, place)
            """;

    /** False where there is no such source. */
    boolean lockSource(Tx tx, String name) {
        tx.query(WAIT_NOT_FOR_EVER).mapTo(String.class).one();
        return tx.query(LOCK_SOURCE)
                .bind("name", name)
                .mapTo(String.class)
                .findOne()
                .isPresent();
    }

    void lockCursors(Tx tx, String name) {
        tx.query(LOCK_CURSORS).bind("name", name).mapTo(String.class).list();
    }

    /** How many rows a page has; empty where that cannot be told soon: a filter may let hardly any row through. */
    Optional<CursorReport.Preview> counted(Tx tx, KeysetPage page) {
        try {
            return Optional.of(tx.undone(() -> {
                tx.query(COUNT_NOT_FOR_EVER).mapTo(String.class).one();
                return CursorReport.between(tx, page);
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

    /** The keys of the rows that were handled above settled are kept for good. */
    void keepKeys(Tx tx, Scope scope) {
        tx.update(KEEP_KEYS)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .execute();
    }

    long openKeys(Tx tx, Scope scope) {
        return tx.query(OPEN_KEYS)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .mapTo(Long.class)
                .one();
    }

    void goOn(Tx tx, Scope scope, List<PriorFilter> priors) {
        tx.update(GO_ON)
                .bind("priors", text(tx, priors))
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .execute();
    }

    void readAgain(Tx tx, Scope scope, @Nullable Watermark from, List<PriorFilter> priors) {
        tx.update(READ_AGAIN)
                .bind("to_ts", Watermark.tsOf(from))
                .bind("to_id", Watermark.idOf(from))
                .bind("priors", text(tx, priors))
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .bind("shard", scope.shard())
                .execute();
    }

    private static String text(Tx tx, List<PriorFilter> priors) {
        String[] filters = new String[priors.size()];
        String[] times = new String[priors.size()];
        String[] ids = new String[priors.size()];
        IntStream.range(0, priors.size()).forEach(n -> {
            filters[n] = priors.get(n).filter();
            times[n] = priors.get(n).upTo().ts();
            ids[n] = priors.get(n).upTo().id();
        });
        return tx.query(PRIORS)
                .bind("filters", filters)
                .bind("times", times)
                .bind("ids", ids)
                .mapTo(String.class)
                .one();
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
