package dev.oneroof.bench.trials;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.util.concurrent.CountDownLatch;

/** A control: one session locks the cursor and then the lease, another the lease and then the cursor. One of them must die. */
record OtherOrder(Database owner, Scope scope) {
    private static final String CURSOR = """
            SELECT 1
            FROM oneroof.gov_worker_cursor
            WHERE worker_name = :worker AND source_name = :source
            FOR NO KEY UPDATE
            """;

    private static final String LEASE = """
            SELECT 1 FROM oneroof.queue_heartbeat WHERE executor_name = :executor FOR NO KEY UPDATE
            """;

    void run() {
        CountDownLatch bothHoldOne = new CountDownLatch(2);
        Thread other = Thread.ofPlatform()
                .name("trial-other-order")
                .start(() -> attempt(bothHoldOne, this::lockLease, this::lockCursor));
        attempt(bothHoldOne, this::lockCursor, this::lockLease);
        try {
            other.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void attempt(
            CountDownLatch bothHoldOne, java.util.function.Consumer<Tx> first, java.util.function.Consumer<Tx> second) {
        try {
            owner.useTx(tx -> {
                first.accept(tx);
                bothHoldOne.countDown();
                try {
                    bothHoldOne.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                second.accept(tx);
            });
        } catch (RuntimeException e) {
            if (!SqlState.isTransient(e)) {
                throw e;
            }
        }
    }

    private void lockCursor(Tx tx) {
        tx.query(CURSOR)
                .bind("worker", scope.worker())
                .bind("source", scope.source())
                .mapTo(Integer.class)
                .one();
    }

    private void lockLease(Tx tx) {
        tx.query(LEASE)
                .bind("executor", scope.executorName())
                .mapTo(Integer.class)
                .one();
    }
}
