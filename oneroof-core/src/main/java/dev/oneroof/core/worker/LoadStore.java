package dev.oneroof.core.worker;

import dev.oneroof.postgres.Tx;

/** What the server bears, and the limits set for it in {@code dot_config}. */
final class LoadStore {
    // A wait for an advisory lock may last for days on purpose, and OneRoof does not yield to its own sessions. Any
    // login may
    // read these: lock waits in pg_locks, and the number of sessions in pg_stat_database.
    private static final String READ = """
            SELECT (SELECT count(DISTINCT l.pid)
                    FROM pg_catalog.pg_locks l
                    JOIN pg_catalog.pg_stat_activity a USING (pid)
                    WHERE NOT l.granted AND a.datname = current_database()
                      AND l.locktype NOT IN ('advisory', 'virtualxid')
                      AND coalesce(a.application_name, '') NOT LIKE 'oneroof%'
                      AND l.waitstart < clock_timestamp() - interval '1 second') AS waits,
                   (SELECT sum(numbackends) FROM pg_catalog.pg_stat_database) AS used,
                   current_setting('max_connections')::integer AS allowed,
                   oneroof.fn_setting_number('queue.load.lock_waits_slow') AS waits_slow,
                   oneroof.fn_setting_number('queue.load.lock_waits_hold') AS waits_hold,
                   oneroof.fn_setting_number('queue.load.connections_slow_percent') AS used_slow,
                   oneroof.fn_setting_number('queue.load.connections_hold_percent') AS used_hold
            """;

    /** Sessions that wait for a lock, connections in use and allowed, and the limits of both; zero is no limit. */
    record Figures(
            long waits,
            long used,
            long allowed,
            double waitsSlow,
            double waitsHold,
            double usedSlow,
            double usedHold) {}

    Figures read(Tx tx) {
        return tx.query(READ)
                .map((row, context) -> new Figures(
                        row.getLong("waits"),
                        row.getLong("used"),
                        row.getLong("allowed"),
                        row.getDouble("waits_slow"),
                        row.getDouble("waits_hold"),
                        row.getDouble("used_slow"),
                        row.getDouble("used_hold")))
                .one();
    }
}
