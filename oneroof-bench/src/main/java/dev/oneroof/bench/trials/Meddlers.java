package dev.oneroof.bench.trials;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Beat;
import dev.oneroof.core.lease.Claim;
import dev.oneroof.core.lease.Epoch;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Renewal;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Cursors;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Sessions that lock what a batch locks, each in a transaction of its own: pauses on the cursor, beats of owners that have
 * lost or still have the lease, leases that run out and are claimed.
 */
final class Meddlers implements AutoCloseable {
    private static final OperatorAct BY = new OperatorAct("bench", "trial");
    private static final Duration BRIEF = Duration.ofMillis(100);

    private static final String RUN_OUT = """
            UPDATE oneroof.queue_heartbeat
            SET lease_until = clock_timestamp() - interval '1 second'
            WHERE executor_name = :executor AND lease_owner IS NOT NULL
            """;

    private final Database db;
    private final Cursors cursors;
    private final Ownership ownership;
    private final List<Scope> scopes;
    private final LeaseStore leases = new LeaseStore();
    private final Waiting stop = new Waiting();
    private final List<Thread> threads = new ArrayList<>();
    final AtomicLong pauses = new AtomicLong();
    final AtomicLong refusedBeats = new AtomicLong();
    final AtomicLong claims = new AtomicLong();
    final AtomicLong failures = new AtomicLong();

    Meddlers(Database db, Ownership ownership, List<Scope> scopes) {
        this.db = db;
        this.cursors = new Cursors(db);
        this.ownership = ownership;
        this.scopes = scopes;
    }

    Meddlers start(SplittableRandom random) {
        meddle("pauser", random.split(), this::pause);
        meddle("beater", random.split(), this::beat);
        meddle("claimer", random.split(), this::claim);
        return this;
    }

    private void meddle(String name, SplittableRandom random, Consumer<SplittableRandom> act) {
        threads.add(Thread.ofPlatform().name("trial-" + name).start(() -> {
            while (stop.pause(Duration.ofMillis(random.nextInt(1, 60)))) {
                try {
                    act.accept(random);
                } catch (RuntimeException e) {
                    // Told as a figure; the server's own counter says whether it was a deadlock.
                    failures.incrementAndGet();
                }
            }
        }));
    }

    private void pause(SplittableRandom random) {
        Scope scope = any(random);
        cursors.pause(scope, BY, Duration.ofMillis(50));
        stop.pause(Duration.ofMillis(random.nextInt(20)));
        cursors.resume(scope, BY);
        pauses.incrementAndGet();
    }

    /** As the owner of a moment ago, or of now: the second is what renews a lease beside a long batch. */
    private void beat(SplittableRandom random) {
        Scope scope = any(random);
        ownership.all().stream()
                .filter(held -> held.scope().equals(scope.executorName()))
                .findFirst()
                .ifPresent(held -> {
                    String owner = held.owner() == null ? "nobody" : held.owner();
                    Epoch epoch = new Epoch(held.epoch() - random.nextInt(2));
                    Lease lease = new Lease(scope, owner, epoch, Duration.ofSeconds(2));
                    if (db.inTx(tx -> leases.beat(tx, lease, Beat.working("meddling"))) == Renewal.LOST) {
                        refusedBeats.incrementAndGet();
                    }
                });
    }

    private void claim(SplittableRandom random) {
        Scope scope = any(random);
        db.useTx(tx -> tx.update(RUN_OUT).bind("executor", scope.executorName()).execute());
        if (db.inTx(tx -> leases.claim(tx, scope, "meddler", BRIEF)) instanceof Claim.Taken taken) {
            claims.incrementAndGet();
            db.useTx(tx -> leases.endSessions(tx, taken.before()));
            stop.pause(Duration.ofMillis(random.nextInt(50)));
            db.useTx(tx -> leases.release(tx, taken.lease()));
        }
        // Long enough for the real ones to claim and to work a little.
        stop.pause(Duration.ofMillis(random.nextInt(100, 600)));
    }

    private Scope any(SplittableRandom random) {
        return scopes.get(random.nextInt(scopes.size()));
    }

    /** Ends them, and leaves nothing paused. */
    @Override
    public void close() {
        stop.stop();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        scopes.forEach(scope -> cursors.resume(scope, BY));
    }
}
