package dev.oneroof.bench.latecommit;

import dev.oneroof.core.worker.Waiting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;

/** A reader as it is often written. It must lose rows, or the trial proves nothing. */
final class Control implements Runnable {
    enum Kind {
        /** Whatever is visible behind the last key. */
        PLAIN("true"),
        /** The same, half a second behind the clock. */
        LAG("created_at < clock_timestamp() - interval '500 ms'"),
        /** The same, without rows of transactions that are not below all open ones. */
        XMIN("xmin::text::bigint < pg_snapshot_xmin(pg_current_snapshot())::text::bigint");

        private final String condition;

        Kind(String condition) {
            this.condition = condition;
        }
    }

    private final Kind kind;
    private final DataSource dataSource;
    private final Waiting stop;
    private final Set<Long> seen = new HashSet<>();

    Control(Kind kind, DataSource dataSource, Waiting stop) {
        this.kind = kind;
        this.dataSource = dataSource;
        this.stop = stop;
    }

    Kind kind() {
        return kind;
    }

    /** Asked for after the run. */
    Set<Long> seen() {
        return seen;
    }

    @Override
    public void run() {
        String ts = "-infinity";
        String id = "00000000-0000-0000-0000-000000000000";
        String sql = """
                SELECT mark, created_at::text, id::text
                FROM oneroof_late.by_clock
                WHERE (created_at, id) > (?::timestamptz, ?::uuid) AND created_at <= clock_timestamp() AND %s
                ORDER BY by_clock.created_at, by_clock.id
                LIMIT 1000
                """.formatted(kind.condition);
        try (Connection connection = dataSource.getConnection();
                PreparedStatement query = connection.prepareStatement(sql)) {
            do {
                query.setString(1, ts);
                query.setString(2, id);
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        seen.add(rows.getLong(1));
                        ts = rows.getString(2);
                        id = rows.getString(3);
                    }
                }
            } while (stop.pause(LateTables.POLL));
        } catch (SQLException e) {
            throw new IllegalStateException("control " + kind + " failed", e);
        }
    }
}
