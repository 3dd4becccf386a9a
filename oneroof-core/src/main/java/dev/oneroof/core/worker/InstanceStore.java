package dev.oneroof.core.worker;

import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.text.Counted;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Running instances, each with a row in {@code queue_heartbeat} that lists the scopes it would take. */
final class InstanceStore {
    // An instance is alive if it has renewed its row, also while the heartbeat gate is closed. A drain stays in the
    // row, but
    // applies to the process and not to the next one of the same name. The lock timeout is short: the same thread
    // renews the
    // leases of all scopes.
    private static final String BEAT = """
            WITH s AS MATERIALIZED (SELECT set_config('lock_timeout', '1s', true))
            INSERT INTO oneroof.queue_heartbeat AS h
                (executor_name, executor_kind, expected_cadence_seconds, stale_threshold_seconds, registered_by,
                 lease_owner, lease_until, lease_epoch, last_beat_payload, metadata)
            SELECT :executor, 'PG_worker', 5, 30, :owner,
                   :owner, clock_timestamp() + make_interval(secs => :ttl), nextval('oneroof.lease_epoch_seq'::regclass),
                   jsonb_build_object('doing', 'working', 'reason', 'started', 'wake_ups', CAST(:listening AS text),
                                      'since', extract(epoch FROM clock_timestamp())),
                   jsonb_build_object('scopes', to_jsonb(CAST(:scopes AS text[])), 'pid', CAST(:pid AS bigint))
            FROM s
            ON CONFLICT (executor_name) DO UPDATE
            SET lease_owner = :owner,
                lease_until = EXCLUDED.lease_until,
                lease_epoch = coalesce(h.lease_epoch, EXCLUDED.lease_epoch),
                metadata = CASE WHEN :first THEN h.metadata - 'drain' ELSE h.metadata END || EXCLUDED.metadata,
                last_tick_at = CASE WHEN oneroof.fn_gate_open('queue.heartbeat.enabled') THEN clock_timestamp() ELSE h.last_tick_at END,
                ticks_total = h.ticks_total + CASE WHEN oneroof.fn_gate_open('queue.heartbeat.enabled') THEN 1 ELSE 0 END,
                last_beat_payload = CASE WHEN oneroof.fn_gate_open('queue.heartbeat.enabled') THEN
                    CASE WHEN jsonb_exists(h.metadata, 'drain') AND NOT :first THEN
                        jsonb_build_object('doing', 'held', 'reason', h.metadata ->> 'drain', 'wake_ups', CAST(:listening AS text))
                    ELSE
                        jsonb_build_object(
                            'doing', CAST(:doing AS text), 'reason', CAST(:reason AS text), 'wake_ups', CAST(:listening AS text))
                    END || jsonb_build_object('since', CASE
                        WHEN h.last_beat_payload ->> 'doing' =
                             CASE WHEN jsonb_exists(h.metadata, 'drain') AND NOT :first THEN 'held' ELSE :doing END
                             AND jsonb_exists(h.last_beat_payload, 'since') AND NOT :first
                        THEN h.last_beat_payload -> 'since'
                        ELSE to_jsonb(extract(epoch FROM clock_timestamp()))
                    END)
                    ELSE h.last_beat_payload END,
                updated_at = clock_timestamp()
            RETURNING h.metadata ->> 'drain' AS drain
            """;

    private static final String OTHERS = """
            SELECT (SELECT count(*)
                    FROM oneroof.queue_heartbeat h
                    WHERE h.lease_owner = i.lease_owner AND h.lease_until > clock_timestamp()
                      AND h.executor_name <> i.executor_name) AS held,
                   ARRAY(SELECT s.name
                         FROM unnest(CAST(:scopes AS text[])) s (name)
                         WHERE jsonb_exists(i.metadata -> 'scopes', s.name)) AS wanted
            FROM oneroof.queue_heartbeat i
            WHERE i.executor_name LIKE 'instance/%' AND i.executor_name <> :executor
              -- As for a claim: a lease that ends minutes later than any could was written by a clock that has stepped back.
              AND i.lease_until BETWEEN clock_timestamp() AND clock_timestamp() + make_interval(secs => :ttl + 300)
              AND NOT jsonb_exists(i.metadata, 'drain')
            """;

    private static final String DRAIN = """
            SELECT metadata ->> 'drain'
            FROM oneroof.queue_heartbeat
            WHERE executor_name = :executor AND lease_until > clock_timestamp()
            """;

    private static final String REMOVE = "DELETE FROM oneroof.queue_heartbeat WHERE executor_name = :executor";

    /**
     * Another running instance.
     *
     * @param held how many scopes it holds
     * @param wanted which of our scopes it would take
     */
    record Other(long held, Set<String> wanted) {}

    /**
     * Renews the instance's row; returns why it is drained, if it is.
     *
     * @param held how many scopes it holds
     * @param first whether it is the first beat of its process
     */
    Optional<String> beat(
            Tx tx,
            String owner,
            Collection<String> scopes,
            long held,
            ListenState listening,
            boolean first,
            Duration timeToLive) {
        return tx.query(BEAT)
                .bind("executor", executor(owner))
                .bind("owner", owner)
                .bind("ttl", timeToLive.toMillis() / 1000.0)
                .bind("scopes", array(scopes))
                .bind("doing", held > 0 ? "working" : "quiet")
                .bind("reason", "holds " + Counted.of(held, "scope"))
                .bind("pid", ProcessHandle.current().pid())
                .bind("listening", listening.word())
                .bind("first", first)
                .mapTo(String.class)
                .findOne();
    }

    /** Why the instance is drained, if it is. */
    Optional<String> drain(Tx tx, String owner) {
        return tx.query(DRAIN)
                .bind("executor", executor(owner))
                .mapTo(String.class)
                .findOne();
    }

    List<Other> others(Tx tx, String owner, Collection<String> scopes, Duration timeToLive) {
        return tx.query(OTHERS)
                .bind("executor", executor(owner))
                .bind("ttl", timeToLive.toMillis() / 1000.0)
                .bind("scopes", array(scopes))
                .map((row, context) -> new Other(row.getLong("held"), Set.of((String[])
                        row.getArray("wanted").getArray())))
                .list();
    }

    int remove(Tx tx, String owner) {
        return tx.update(REMOVE).bind("executor", executor(owner)).execute();
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
