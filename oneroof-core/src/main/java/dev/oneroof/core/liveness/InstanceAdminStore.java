package dev.oneroof.core.liveness;

import dev.oneroof.postgres.Tx;
import java.util.List;

/** What operators see of instances and do to them, in {@code queue_heartbeat}. */
final class InstanceAdminStore {
    private static final String LIST = """
            SELECT substr(h.executor_name, length('instance/') + 1) AS name, v.state, v.reason,
                   h.last_tick_at::text AS last_tick_at, v.age_seconds,
                   (SELECT count(*)
                    FROM oneroof.queue_heartbeat s
                    WHERE s.lease_owner = h.lease_owner AND s.executor_name <> h.executor_name
                      AND s.lease_until > clock_timestamp()) AS holds,
                   coalesce(h.last_beat_payload ->> 'wake_ups', 'off') AS wake_ups,
                   h.metadata ->> 'drain' AS drain, (h.metadata ->> 'pid')::bigint AS pid
            FROM oneroof.v_queue_health v
            JOIN oneroof.queue_heartbeat h USING (executor_name)
            WHERE v.source = 'heartbeat' AND h.executor_name LIKE 'instance/%'
            ORDER BY h.executor_name COLLATE "C"
            """;

    private static final String DRAIN = """
            UPDATE oneroof.queue_heartbeat
            SET metadata = metadata || jsonb_build_object('drain', CAST(:drain AS text)), updated_at = clock_timestamp()
            WHERE executor_name = 'instance/' || :name AND lease_until > clock_timestamp()
            """;

    private static final String UNDO_DRAIN = """
            UPDATE oneroof.queue_heartbeat
            SET metadata = metadata - 'drain', updated_at = clock_timestamp()
            WHERE executor_name = 'instance/' || :name AND lease_until > clock_timestamp()
            """;

    private static final String REMOVE = """
            DELETE FROM oneroof.queue_heartbeat
            WHERE executor_name = 'instance/' || :name AND lease_until <= clock_timestamp()
            """;

    // The scope of its jobs belongs to the process: no other instance would take it.
    private static final String REMOVE_JOB_SCOPE = """
            DELETE FROM oneroof.queue_heartbeat
            WHERE executor_name = 'jobs/' || :name || '/0' AND lease_owner = :name AND lease_until <= clock_timestamp()
            """;

    List<Instances.Instance> list(Tx tx) {
        return tx.query(LIST)
                .map((row, context) -> new Instances.Instance(
                        row.getString("name"),
                        row.getString("state"),
                        row.getString("reason"),
                        row.getString("last_tick_at"),
                        row.getLong("age_seconds"),
                        row.getLong("holds"),
                        row.getString("wake_ups"),
                        row.getString("drain"),
                        row.getObject("pid", Long.class)))
                .list();
    }

    /** False when no such instance is running. */
    boolean drain(Tx tx, String name, String reason) {
        return tx.update(DRAIN).bind("name", name).bind("drain", reason).execute() == 1;
    }

    /** False when no such instance is running. */
    boolean undoDrain(Tx tx, String name) {
        return tx.update(UNDO_DRAIN).bind("name", name).execute() == 1;
    }

    /** Removes an instance whose lease has expired, with the scope of its jobs. False when there is none. */
    boolean remove(Tx tx, String name) {
        boolean removed = tx.update(REMOVE).bind("name", name).execute() == 1;
        if (removed) {
            tx.update(REMOVE_JOB_SCOPE).bind("name", name).execute();
        }
        return removed;
    }
}
