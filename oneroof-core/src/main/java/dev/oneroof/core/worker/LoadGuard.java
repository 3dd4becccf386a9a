package dev.oneroof.core.worker;

import dev.oneroof.postgres.Tx;

/**
 * Looks whether the server has trouble that background work would make worse: sessions that wait for locks, and
 * connections that run out. Its limits are settings in {@code dot_config}; zero is none.
 */
final class LoadGuard {
    // Who waits for an advisory lock may do so for days, on purpose; and our own sessions are not what we make way for.
    // Everybody may see these: who waits for a lock in pg_locks, and how many sessions there are in pg_stat_database.
    private static final String LOOK = """
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

    private record Seen(
            long waits, long used, long allowed, double waitsSlow, double waitsHold, double usedSlow, double usedHold) {
        Load load() {
            double percent = 100.0 * used / allowed;
            String waiting = "%d sessions wait for locks".formatted(waits);
            String connected = "%d of %d connections are in use".formatted(used, allowed);
            if (isOver((double) waits, waitsHold)) {
                return new Load.Hold(limit(waiting, "lock_waits_hold", waitsHold));
            }
            if (isOver(percent, usedHold)) {
                return new Load.Hold(limit(connected, "connections_hold_percent", usedHold));
            }
            if (isOver((double) waits, waitsSlow)) {
                return new Load.Slow(limit(waiting, "lock_waits_slow", waitsSlow));
            }
            if (isOver(percent, usedSlow)) {
                return new Load.Slow(limit(connected, "connections_slow_percent", usedSlow));
            }
            return new Load.Easy();
        }

        private static boolean isOver(double value, double limit) {
            return limit > 0 && value >= limit;
        }

        private static String limit(String what, String setting, double limit) {
            return "load: %s (queue.load.%s is %.0f)".formatted(what, setting, limit);
        }
    }

    Load look(Tx tx) {
        return tx.query(LOOK)
                .map((row, context) -> new Seen(
                        row.getLong("waits"),
                        row.getLong("used"),
                        row.getLong("allowed"),
                        row.getDouble("waits_slow"),
                        row.getDouble("waits_hold"),
                        row.getDouble("used_slow"),
                        row.getDouble("used_hold")))
                .one()
                .load();
    }
}
