package dev.oneroof.core.worker;

import dev.oneroof.postgres.Tx;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Running instances, each with a row of its own in {@code queue_heartbeat} that says which scopes it would take. */
final class InstanceStore {
    // Alive is who has renewed its own row; that goes on while the heartbeat gate is closed.
    private static final String BEAT = """
            INSERT INTO oneroof.queue_heartbeat AS h
                (executor_name, executor_kind, expected_cadence_seconds, stale_threshold_seconds, registered_by,
                 lease_owner, lease_until, lease_epoch, metadata)
            VALUES (:executor, 'PG_worker', 5, 30, :owner,
                    :owner, clock_timestamp() + make_interval(secs => :ttl), nextval('oneroof.lease_epoch_seq'),
                    jsonb_build_object('scopes', to_jsonb(CAST(:scopes AS text[]))))
            ON CONFLICT (executor_name) DO UPDATE
            SET lease_owner = :owner,
                lease_until = EXCLUDED.lease_until,
                lease_epoch = coalesce(h.lease_epoch, EXCLUDED.lease_epoch),
                metadata = EXCLUDED.metadata,
                last_tick_at = CASE WHEN oneroof.fn_gate_open('queue.heartbeat.enabled') THEN clock_timestamp() ELSE h.last_tick_at END,
                ticks_total = h.ticks_total + CASE WHEN oneroof.fn_gate_open('queue.heartbeat.enabled') THEN 1 ELSE 0 END,
                updated_at = clock_timestamp()
            """;

    private static final String HELD = """
            SELECT i.lease_owner = :owner AS own,
                   (SELECT count(*)
                    FROM oneroof.queue_heartbeat h
                    WHERE h.executor_name = ANY (CAST(:scopes AS text[]))
                      AND h.lease_owner = i.lease_owner AND h.lease_until > clock_timestamp()) AS held
            FROM oneroof.queue_heartbeat i
            WHERE i.lease_until > clock_timestamp()
              AND EXISTS (
                  SELECT 1 FROM unnest(CAST(:scopes AS text[])) s (name) WHERE jsonb_exists(i.metadata -> 'scopes', s.name))
            """;

    private static final String LEAVE = "DELETE FROM oneroof.queue_heartbeat WHERE executor_name = :executor";

    /** How many of the scopes an instance that would take them holds. */
    record Held(boolean own, long scopes) {}

    void beat(Tx tx, String owner, Collection<String> scopes, Duration timeToLive) {
        tx.update(BEAT)
                .bind("executor", executor(owner))
                .bind("owner", owner)
                .bind("ttl", timeToLive.toMillis() / 1000.0)
                .bind("scopes", array(scopes))
                .execute();
    }

    List<Held> held(Tx tx, String owner, Collection<String> scopes) {
        return tx.query(HELD)
                .bind("owner", owner)
                .bind("scopes", array(scopes))
                .map((row, context) -> new Held(row.getBoolean("own"), row.getLong("held")))
                .list();
    }

    void leave(Tx tx, String owner) {
        tx.update(LEAVE).bind("executor", executor(owner)).execute();
    }

    private static String executor(String owner) {
        return "instance/" + owner;
    }

    private static String array(Collection<String> names) {
        return names.stream()
                .map(name -> '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(",", "{", "}"));
    }
}
