package dev.oneroof.core.operator;

import dev.oneroof.postgres.Tx;
import java.util.List;

/** Reads figures from cursors, beats and the backlog: rows of our own, never of a source. */
final class MetricsStore {
    // A quiet worker has read all there is; its watermark may be old, and that is no lag.
    private static final String CURSORS = """
            SELECT c.worker_name, c.source_name,
                   CASE WHEN b.is_quiet THEN 0 ELSE coalesce(greatest(0, extract(epoch FROM clock_timestamp() - a.head)), 0) END
                       AS lag_seconds,
                   CASE WHEN b.is_quiet THEN 0 ELSE coalesce(greatest(0, extract(epoch FROM clock_timestamp() - a.settled)), 0) END
                       AS settled_lag_seconds
            FROM oneroof.gov_worker_cursor c
            JOIN oneroof.tail_source t USING (source_name)
            LEFT JOIN LATERAL (
                SELECT h.last_beat_payload ->> 'doing' = 'quiet' AS is_quiet
                FROM oneroof.queue_heartbeat h
                WHERE h.executor_name = concat(c.worker_name, '/', c.source_name, '/', c.shard)) b ON true
            CROSS JOIN LATERAL (
                SELECT CASE WHEN t.ts_type = 'timestamptz' AND c.last_watermark_ts ~ '^[0-9]{4}-[^ ]+ [0-9:.]+[+-][0-9:]+$'
                            THEN CAST(c.last_watermark_ts AS timestamptz) END AS head,
                       CASE WHEN t.ts_type = 'timestamptz' AND c.settled_ts ~ '^[0-9]{4}-[^ ]+ [0-9:.]+[+-][0-9:]+$'
                            THEN CAST(c.settled_ts AS timestamptz) END AS settled) a
            """;

    private static final String JOBS = """
            SELECT job_kind, queued, leased,
                   coalesce(greatest(0, extract(epoch FROM clock_timestamp() - oldest_due_at)), 0) AS wait_seconds
            FROM oneroof.v_job_backlog
            """;

    List<MetricsView.CursorLag> cursors(Tx tx) {
        return tx.query(CURSORS)
                .map((row, context) -> new MetricsView.CursorLag(
                        row.getString("worker_name"),
                        row.getString("source_name"),
                        row.getDouble("lag_seconds"),
                        row.getDouble("settled_lag_seconds")))
                .list();
    }

    List<MetricsView.KindBacklog> jobs(Tx tx) {
        return tx.query(JOBS)
                .map((row, context) -> new MetricsView.KindBacklog(
                        row.getString("job_kind"),
                        row.getLong("queued"),
                        row.getLong("leased"),
                        row.getDouble("wait_seconds")))
                .list();
    }
}
