package dev.oneroof.bench.trials;

import dev.oneroof.core.tail.Batch;
import dev.oneroof.core.tail.BatchEffect;
import dev.oneroof.core.tail.read.Page;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.UserTx;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * An effect that takes its time after it has written, so that a blow at any moment mostly meets an open batch.
 *
 * @param committed counts the rows whose effects are committed
 */
record Lingering(BatchEffect effect, Duration most, LongAdder committed) implements BatchEffect {
    @Override
    public Batch apply(UserTx tx, Page page) {
        Batch batch = effect.apply(tx, page);
        tx.onCommit(() -> committed.add(batch.rowsSeen()));
        if (batch.rowsSeen() > 0 && most.isPositive()) {
            new Waiting().pause(Duration.ofNanos(ThreadLocalRandom.current().nextLong(most.toNanos())));
        }
        return batch;
    }
}
