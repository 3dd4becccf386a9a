package dev.oneroof.core.tail;

import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.lease.Claim;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.read.HolderSampler;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/** A tail worker over one source of a test, with a lease that the test moves as it likes. */
final class TailFixture {
    static final String GATE = "governance.gov_backfill_sweep.enabled";

    /** Gives up early, and looks at what is behind it often. */
    static final TailConfig WATCHFUL = watchful(Duration.ofMinutes(10), 50_000);

    private static final Duration REST = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    final LeaseStore leases = new LeaseStore();
    final CursorStore cursors = new CursorStore();
    final Database db;
    final Scope scope;
    private final TailWorker worker;

    TailFixture(TestDatabase database, TailSource source, BatchEffect effect) {
        this(database.dataSource(), source, effect, TailConfig.DEFAULT);
    }

    TailFixture(TestDatabase database, TailSource source, BatchEffect effect, TailConfig config) {
        this(database.dataSource(), source, effect, config);
    }

    TailFixture(DataSource sessions, TailSource source, BatchEffect effect) {
        this(sessions, source, effect, TailConfig.DEFAULT);
    }

    TailFixture(DataSource sessions, TailSource source, BatchEffect effect, TailConfig config) {
        this(sessions, source, effect, config, 0);
    }

    TailFixture(DataSource sessions, TailSource source, BatchEffect effect, TailConfig config, int shard) {
        db = new Database(sessions, SchemaName.DEFAULT);
        scope = new Scope("test_worker", source.name(), shard);
        db.useTx(tx -> new SourceStore().register(tx, source, "test"));
        db.useTx(tx -> leases.register(tx, scope, "test", Duration.ofSeconds(5), Duration.ofSeconds(30)));
        TailSpec spec = new TailSpec(scope, "governance", "seeding", Set.of(GATE), effect);
        worker = new TailWorker(db, TailStores.standard(), new HolderSampler(db), spec, config);
        worker.prepare();
    }

    static TailConfig watchful(Duration keptFor, long keptKeys) {
        return new TailConfig(
                3,
                Duration.ofMillis(10),
                Duration.ofMillis(50),
                100,
                keptFor,
                keptKeys,
                Duration.ofMillis(50),
                1_000_000);
    }

    /** Lets operators replay. */
    void allowReplays() {
        db.useTx(tx -> new GateStore().open(tx, Gates.REPLAY, "test", "a test"));
    }

    Lease claim(String owner) {
        return ((Claim.Taken) db.inTx(tx -> leases.claim(tx, scope, owner, Duration.ofMillis(-1)))).lease();
    }

    boolean isPaused() {
        return worker.cachedState().state() instanceof Cursor.State.Paused;
    }

    Pass runOnce(Lease lease) {
        return worker.runOnce(lease);
    }

    /** Passes until what the test waits for has come. */
    void until(Lease lease, BooleanSupplier reached) {
        Await.patiently().until("the tail to get there", () -> {
            runOnce(lease);
            return reached.getAsBoolean();
        });
    }

    /** Passes until the cursor has nothing more to do for now. */
    void drain(Lease lease) {
        for (int passes = 0; passes < 100_000; passes++) {
            if (runOnce(lease) instanceof Pass.Idle) {
                return;
            }
        }
        throw new AssertionError("the tail does not end");
    }

    /** Passes until there is nothing more to do, or the lease is found lost. */
    void drainOrLose(Lease lease) {
        for (int passes = 0; passes < 1000; passes++) {
            if (!(runOnce(lease) instanceof Pass.Worked)) {
                return;
            }
        }
        throw new AssertionError("the tail does not end");
    }

    /** A number of passes with a short rest after each; what failed or was held. */
    List<String> turn(Lease lease, int passes) {
        List<String> failures = new ArrayList<>();
        for (int n = 0; n < passes; n++) {
            turn(lease, failures);
        }
        return failures;
    }

    /** As many passes as it takes; what failed or was held. */
    List<String> turnUntil(Lease lease, BooleanSupplier reached) {
        return turnUntil(lease, reached, PATIENCE);
    }

    List<String> turnUntil(Lease lease, BooleanSupplier reached, Duration patience) {
        List<String> failures = new ArrayList<>();
        long end = System.nanoTime() + patience.toNanos();
        while (!reached.getAsBoolean() && System.nanoTime() < end) {
            turn(lease, failures);
        }
        return failures;
    }

    private void turn(Lease lease, List<String> failures) {
        try {
            Pass pass = runOnce(lease);
            if (pass instanceof Pass.Held || pass instanceof Pass.Lost) {
                failures.add(pass.toString());
            }
        } catch (RuntimeException e) {
            failures.add(SqlState.of(e) + " " + e.getMessage());
        }
        Await.pause(REST);
    }

    Cursor cursor() {
        return db.inTx(tx -> cursors.find(tx, scope)).orElseThrow();
    }
}
