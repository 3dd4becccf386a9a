package dev.oneroof.bench.trials;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Looks every few milliseconds how many leases there are at once, from a connection of its own: in one snapshot, and by the
 * clock of the database. The same look counts those of a kind without a limit, to show that it would see two.
 */
final class LeaseWatch implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMillis(3);

    private static final String LOOK = """
            SELECT count(*) FILTER (WHERE job_kind = 'trial_single') AS leased,
                   count(*) FILTER (WHERE job_kind = 'trial_single' AND lease_until > clock_timestamp()) AS valid,
                   count(*) FILTER (WHERE job_kind = 'trial_in_tx' AND lease_until > clock_timestamp()) AS unlimited
            FROM oneroof.job_queue
            WHERE state = 'leased'
            """;

    private final HikariDataSource pool;
    private final Database db;
    private final Waiting waiting = new Waiting();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private final Thread thread;
    private Seen most = new Seen(0, 0, 0);
    private long looks;
    private long looksAtOne;

    private record Seen(long leased, long valid, long unlimited) {
        Seen or(Seen other) {
            return new Seen(
                    Math.max(leased, other.leased), Math.max(valid, other.valid), Math.max(unlimited, other.unlimited));
        }
    }

    LeaseWatch(BenchSite site) {
        this.pool = Connections.pool(site.address(), "trial watch", null, 1);
        this.db = new Database(pool, site.schema().schema());
        this.thread = Thread.ofPlatform().name("trial-watch").start(this::watch);
    }

    private void watch() {
        try {
            do {
                Seen seen = db.inTx(tx -> tx.query(LOOK)
                        .map((row, context) ->
                                new Seen(row.getLong("leased"), row.getLong("valid"), row.getLong("unlimited")))
                        .one());
                most = most.or(seen);
                looks++;
                looksAtOne += seen.valid() > 0 ? 1 : 0;
            } while (waiting.pause(EVERY));
        } catch (RuntimeException e) {
            failure.set(e);
        }
    }

    /** To be asked when it is closed. */
    List<Figure> figures() {
        RuntimeException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
        return List.of(
                Figure.told("looks at the leases", (double) looks, null),
                Figure.atLeast("looks that saw one of the kind with limit 1", (double) looksAtOne, 1),
                Figure.atMost("limit 1: valid leases in one look, most", (double) most.valid(), 1),
                Figure.atMost("limit 1: leases in one look, valid or not, most", (double) most.leased(), 1),
                Figure.atLeast(
                        "control without a limit: valid leases in one look, most", (double) most.unlimited(), 2));
    }

    @Override
    public void close() {
        waiting.stop();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pool.close();
    }
}
