package dev.oneroof.bench.trials;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Workshop;
import dev.oneroof.core.lease.Beat;
import dev.oneroof.core.lease.Claim;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * An hour of beats while somebody keeps a snapshot open, so that no old version of a row can be taken away: how long a
 * look at one scope takes then, by the statement that every batch ends with. The beats come as fast as they can: what
 * counts is how many versions there are.
 */
public final class HeartbeatTrial implements Bench {
    private static final String SCHEMA = "oneroof_bench";
    private static final String WORKER = "bench_beat";
    private static final int THREADS = 4;
    private static final Duration LEASE = Duration.ofHours(1);
    private static final double MOST_MILLIS = 1;
    private static final String FENCE = """
            EXPLAIN (ANALYZE, TIMING OFF)
            SELECT 1 FROM oneroof.queue_heartbeat WHERE executor_name = :executor AND lease_owner = 'bench' FOR NO KEY UPDATE
            """;
    private static final Pattern EXECUTION = Pattern.compile("Execution Time: ([0-9.]+) ms");

    private final HeartbeatConfig config;
    private final LeaseStore store = new LeaseStore();

    public HeartbeatTrial(HeartbeatConfig config) {
        this.config = config;
    }

    @Override
    public BenchResult run(BenchSite site) throws Exception {
        try (Workshop workshop = Workshop.open(site, SCHEMA)) {
            try {
                return measured(workshop);
            } finally {
                workshop.run("DELETE FROM oneroof.queue_heartbeat WHERE executor_name LIKE '%s/%%'".formatted(WORKER));
            }
        }
    }

    private BenchResult measured(Workshop workshop) throws SQLException, InterruptedException {
        Database db = workshop.pooled();
        List<Lease> leases = claimed(db);
        double[] before = lookups(db, leases);
        long pagesBefore = pages(db);
        try (Connection snapshot = workshop.connect()) {
            snapshot.setAutoCommit(false);
            snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = snapshot.createStatement()) {
                statement.execute("SELECT count(*) FROM pg_catalog.pg_class");
            }
            beat(db, leases);
            double[] after = lookups(db, leases);
            double[] atServer = fencesAtServer(db, leases);
            snapshot.rollback();
            return BenchResult.of(
                    "heartbeat",
                    Map.of("scopes", config.scopes(), "beats", config.beats()),
                    List.of(
                            Figure.atMost("median ms of a lookup", middle(after, 0.5), MOST_MILLIS),
                            Figure.atMost("p99 ms of a lookup at the server", middle(atServer, 0.99), MOST_MILLIS),
                            Figure.told("median ms against before", middle(after, 0.5), middle(before, 0.5)),
                            Figure.told("p99 ms against before", middle(after, 0.99), middle(before, 0.99)),
                            Figure.told("pages of the table", (double) pages(db), (double) Math.max(1, pagesBefore))));
        }
    }

    private List<Lease> claimed(Database db) {
        List<Lease> leases = new ArrayList<>();
        for (int n = 0; n < config.scopes(); n++) {
            Scope scope = new Scope(WORKER, "scope", n);
            db.useTx(tx -> store.register(tx, scope, "bench", Duration.ofSeconds(5), Duration.ofSeconds(30)));
            if (db.inTx(tx -> store.claim(tx, scope, "bench", LEASE)) instanceof Claim.Taken taken) {
                leases.add(taken.lease());
            }
        }
        return leases;
    }

    /** Each beat a transaction of its own, as in life. */
    private void beat(Database db, List<Lease> leases) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        int all = config.beats() * leases.size();
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < THREADS; n++) {
            threads.add(Thread.ofPlatform().name("bench-beat-" + n).start(() -> {
                for (int beat = next.getAndIncrement(); beat < all; beat = next.getAndIncrement()) {
                    Lease lease = leases.get(beat % leases.size());
                    db.useTx(tx -> {
                        tx.update("SET LOCAL synchronous_commit = off").execute();
                        store.beat(tx, lease, Beat.quiet());
                    });
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private double[] lookups(Database db, List<Lease> leases) {
        return db.inTx(tx -> {
            double[] millis = new double[config.lookups()];
            for (int n = 0; n < millis.length; n++) {
                Lease lease = leases.get(n % leases.size());
                long begun = System.nanoTime();
                store.owner(tx, lease.scope());
                millis[n] = (System.nanoTime() - begun) / 1e6;
            }
            return millis;
        });
    }

    /** Found by its name and locked, as by the statement that every batch ends with; without the way there and back. */
    private double[] fencesAtServer(Database db, List<Lease> leases) {
        return db.inTx(tx -> IntStream.range(0, config.lookups())
                .mapToDouble(n -> executionMillis(tx.query(FENCE)
                        .bind("executor", leases.get(n % leases.size()).scope().executorName())
                        .mapTo(String.class)
                        .list()))
                .toArray());
    }

    private static double executionMillis(List<String> plan) {
        return plan.stream()
                .map(EXECUTION::matcher)
                .filter(Matcher::find)
                .mapToDouble(found -> Double.parseDouble(found.group(1)))
                .findFirst()
                .orElseThrow();
    }

    private static long pages(Database db) {
        return db.inTx(tx -> tx.query("SELECT pg_relation_size('oneroof.queue_heartbeat'::regclass) / 8192")
                .mapTo(Long.class)
                .one());
    }

    private static double middle(double[] millis, double share) {
        double[] sorted = millis.clone();
        Arrays.sort(sorted);
        return Math.round(sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * share))] * 1000) / 1000.0;
    }
}
