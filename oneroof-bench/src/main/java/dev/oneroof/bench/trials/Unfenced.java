package dev.oneroof.bench.trials;

import dev.oneroof.core.lease.Claim;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.time.Duration;

/**
 * A control: a worker with a lease and without a fence. It looks at its lease when it begins, is frozen, and commits when it
 * wakes up, though another owner has done the same rows meanwhile. The verdict must catch it, or it proves nothing.
 */
final class Unfenced {
    static final String TAIL = "control-unfenced";
    static final String TABLE = "by_sequence";

    private static final String HANDLE = """
            INSERT INTO %1$s.handled (tail, mark, session, xid, sees, at)
            SELECT :tail, mark, oneroof.fn_session_name(:epoch), pg_current_xact_id(), pg_current_snapshot(), clock_timestamp()
            FROM %1$s.by_sequence
            WHERE id > :place
            ORDER BY id
            LIMIT 10
            """;

    private final TrialTables tables;
    private final Database owner;
    private final LeaseStore leases = new LeaseStore();
    private final Scope scope = TrialTables.scope(TAIL);
    private long place;

    Unfenced(TrialTables tables, Database owner) {
        this.tables = tables;
        this.owner = owner;
    }

    void run(int rounds) {
        owner.useTx(tx -> leases.register(tx, scope, "bench", Duration.ofSeconds(5), Duration.ofSeconds(30)));
        try {
            for (int round = 0; round < rounds; round++) {
                beFrozenInTheMiddle();
            }
        } finally {
            owner.useTx(tx -> tx.update("DELETE FROM oneroof.queue_heartbeat WHERE executor_name = :executor")
                    .bind("executor", scope.executorName())
                    .execute());
        }
    }

    private void beFrozenInTheMiddle() {
        Lease first = claim("first");
        owner.useTx(tx -> {
            handle(tx, first);
            // Here it is frozen, for longer than its lease lasts.
            Lease second = claim("second");
            owner.useTx(other -> handle(other, second));
        });
        place += 10;
    }

    private Lease claim(String name) {
        Waiting waiting = new Waiting();
        while (true) {
            if (owner.inTx(tx -> leases.claim(tx, scope, name, Duration.ofMillis(1))) instanceof Claim.Taken taken) {
                return taken.lease();
            }
            waiting.pause(Duration.ofMillis(5));
        }
    }

    private void handle(Tx tx, Lease lease) {
        tx.update(HANDLE.formatted(tables.schema()))
                .bind("tail", TAIL)
                .bind("epoch", lease.epoch().value())
                .bind("place", place)
                .execute();
    }
}
