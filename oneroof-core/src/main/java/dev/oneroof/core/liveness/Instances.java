package dev.oneroof.core.liveness;

import dev.oneroof.core.act.ActLog;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The running processes, and the ones that went without a word. */
public final class Instances {
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

    private static final String UNDO = """
            UPDATE oneroof.queue_heartbeat
            SET metadata = metadata - 'drain', updated_at = clock_timestamp()
            WHERE executor_name = 'instance/' || :name AND lease_until > clock_timestamp()
            """;

    private static final String FORGET = """
            DELETE FROM oneroof.queue_heartbeat
            WHERE executor_name = 'instance/' || :name AND lease_until <= clock_timestamp()
            """;

    // Its jobs' scope is its own, and nobody else would take it.
    private static final String FORGET_ITS_OWN = """
            DELETE FROM oneroof.queue_heartbeat
            WHERE executor_name = 'jobs/' || :name || '/0' AND lease_owner = :name AND lease_until <= clock_timestamp()
            """;

    private final Database db;
    private final ActLog acts = new ActLog();

    public Instances(Database db) {
        this.db = db;
    }

    /**
     * A process that runs workers, or ran them.
     *
     * @param holds how many scopes it holds now
     * @param drain who drains it and why; null where nobody does
     * @param pid of its process, on the machine that it runs on; null where it is not known
     */
    public record Instance(
            String name,
            String state,
            String reason,
            String lastTickAt,
            long ageSeconds,
            long holds,
            String wakeUps,
            @Nullable String drain,
            @Nullable Long pid) {}

    public List<Instance> list() {
        return db.inTx(tx -> tx.query(LIST)
                .map((row, context) -> new Instance(
                        row.getString("name"),
                        row.getString("state"),
                        row.getString("reason"),
                        row.getString("last_tick_at"),
                        row.getLong("age_seconds"),
                        row.getLong("holds"),
                        row.getString("wake_ups"),
                        row.getString("drain"),
                        row.getObject("pid", Long.class)))
                .list());
    }

    /**
     * Has an instance finish what it is in, give back all it holds and take nothing any more, so that it can be ended at
     * leisure. It lasts until it is undone or the process ends.
     */
    public void drain(String name, OperatorAct by) {
        db.useTx(tx -> {
            int rows = tx.update(DRAIN)
                    .bind("name", name)
                    .bind("drain", "drained by %s: %s".formatted(by.actor(), by.reason()))
                    .execute();
            demand(name, rows);
            acts.record(tx, "instance_drain", name, by);
        });
    }

    /** Lets it take part again. */
    public void undoDrain(String name, OperatorAct by) {
        db.useTx(tx -> {
            demand(name, tx.update(UNDO).bind("name", name).execute());
            acts.record(tx, "instance_drain_undo", name, by);
        });
    }

    /** Has one forgotten that went without a word and will not come back under its name. */
    public void forget(String name, OperatorAct by) {
        db.useTx(tx -> {
            if (tx.update(FORGET).bind("name", name).execute() == 0) {
                throw new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "instance: no '%s' is gone; 'oneroof instance list' has those that are, as dead or silent"
                                .formatted(name));
            }
            tx.update(FORGET_ITS_OWN).bind("name", name).execute();
            acts.record(tx, "instance_forget", name, by);
        });
    }

    private static void demand(String name, int rows) {
        if (rows == 0) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "instance: no '%s' is running; 'oneroof instance list' has those that are".formatted(name));
        }
    }
}
