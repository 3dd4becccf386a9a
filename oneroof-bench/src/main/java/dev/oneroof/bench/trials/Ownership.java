package dev.oneroof.bench.trials;

import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who owns which tail of a trial, and how long it takes until somebody else goes on with it. */
final class Ownership {
    private static final Duration LOOK = Duration.ofMillis(20);

    private static final String HELD = """
            SELECT h.executor_name, h.lease_owner, coalesce(h.lease_epoch, 0) AS lease_epoch, c.events_seen
            FROM oneroof.queue_heartbeat h
            JOIN oneroof.gov_worker_cursor c
                ON h.executor_name = c.worker_name || '/' || c.source_name || '/' || c.shard
            WHERE c.source_name = ANY(:sources)
            ORDER BY h.executor_name
            """;

    // A session bears the name of its epoch inside a batch only.
    private static final String OPEN_BATCHES = """
            SELECT count(*)
            FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database()
              AND xact_start IS NOT NULL
              AND application_name = ANY(SELECT oneroof.fn_session_name(epoch) FROM unnest(:epochs) epoch)
            """;

    // Ours alone: what others are asking is not to be copied.
    private static final String OPEN_TRANSACTIONS = """
            SELECT coalesce(string_agg(format('%s, %s since %s s: %s', application_name, state,
                                              round(extract(epoch FROM clock_timestamp() - xact_start)),
                                              left(regexp_replace(query, '\\s+', ' ', 'g'), 100)),
                                       '; ' ORDER BY xact_start),
                            'none')
            FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database()
              AND xact_start < clock_timestamp() - interval '1 second'
              AND pid <> pg_backend_pid()
              AND (application_name LIKE 'trial%' OR application_name LIKE 'oneroof % epoch %')
            """;

    private final Database owner;
    private final List<String> sources;

    Ownership(Database owner, List<String> sources) {
        this.owner = owner;
        this.sources = sources;
    }

    record Held(String scope, @Nullable String owner, long epoch, long seen) {}

    List<Held> all() {
        return owner.inTx(tx -> tx.query(HELD)
                .bindArray("sources", String.class, sources)
                .map((row, context) -> new Held(
                        row.getString("executor_name"),
                        row.getString("lease_owner"),
                        row.getLong("lease_epoch"),
                        row.getLong("events_seen")))
                .list());
    }

    List<Held> of(String name) {
        return all().stream().filter(held -> name.equals(held.owner())).toList();
    }

    /** How many batches are open under these leases, by the names of their sessions. */
    long openBatches(List<Held> under) {
        return owner.inTx(tx -> tx.query(OPEN_BATCHES)
                .bindArray("epochs", Long.class, under.stream().map(Held::epoch).toList())
                .mapTo(Long.class)
                .one());
    }

    String openTransactions() {
        return owner.inTx(tx -> tx.query(OPEN_TRANSACTIONS).mapTo(String.class).one());
    }

    /**
     * Waits until every one of these is under a higher epoch, and rows have been committed since; returns how long each took
     * from the given moment on, in milliseconds. What takes longer than the limit counts as that long.
     */
    List<Double> takeOvers(List<Held> lost, long sinceNanos, Duration limit) {
        Map<String, Held> waiting = new HashMap<>();
        lost.forEach(held -> waiting.put(held.scope(), held));
        Map<String, Held> taken = new HashMap<>();
        List<Double> times = new ArrayList<>();
        Waiting pause = new Waiting();
        while (!waiting.isEmpty() && System.nanoTime() - sinceNanos < limit.toNanos()) {
            for (Held now : all()) {
                Optional<Held> before = Optional.ofNullable(waiting.get(now.scope()));
                if (before.isEmpty() || now.epoch() <= before.get().epoch()) {
                    continue;
                }
                Held first = taken.putIfAbsent(now.scope(), now);
                if (first != null && now.seen() > first.seen()) {
                    waiting.remove(now.scope());
                    times.add(millis(sinceNanos));
                }
            }
            pause.pause(LOOK);
        }
        waiting.forEach((scope, held) -> times.add((double) limit.toMillis()));
        return times;
    }

    private static double millis(long sinceNanos) {
        return Math.round((System.nanoTime() - sinceNanos) / 1e5) / 10.0;
    }
}
