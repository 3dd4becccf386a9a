package dev.oneroof.bench.tailspeed;

import dev.oneroof.bench.Workshop;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.tail.Batch;
import dev.oneroof.core.tail.BatchEffect;
import dev.oneroof.core.tail.read.Page;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A tail over all rows of a source, or the next so many, with everything a worker does: lease, beats, barrier, cursor and counters. */
final class WholeRun {
    private static final Duration PATIENCE = Duration.ofHours(1);

    private final Workshop workshop;
    private final TailSource source;
    private final long rows;

    WholeRun(Workshop workshop, TailSource source, long rows) {
        this.workshop = workshop;
        this.source = source;
        this.rows = rows;
    }

    /** From the very first row. */
    double fromTheBeginning(BatchEffect effect) throws InterruptedException {
        workshop.forgetCursor(source.name());
        return fromTheCursor(effect);
    }

    /** From the start of the worker to the commit of the last row, in seconds. */
    double fromTheCursor(BatchEffect effect) throws InterruptedException {
        CountDownLatch allHandled = new CountDownLatch(1);
        try (OneRoof oneroof = workshop.runtime()) {
            workshop.register(oneroof, source);
            oneroof.tail(Workshop.WORKER, source.name()).by(new Counted(effect, rows, allHandled));
            long begun = System.nanoTime();
            oneroof.start();
            if (!allHandled.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new OneRoofException(
                        ErrorCode.FAILED,
                        "tail: it did not come to its end in %d min; the lines above may say why"
                                .formatted(PATIENCE.toMinutes()));
            }
            return (System.nanoTime() - begun) / 1e9;
        }
    }

    /** Counts what was committed; a batch that failed and came again counts once. */
    private static final class Counted implements BatchEffect {
        private final BatchEffect effect;
        private final long rows;
        private final CountDownLatch allHandled;
        private long handled;

        Counted(BatchEffect effect, long rows, CountDownLatch allHandled) {
            this.effect = effect;
            this.rows = rows;
            this.allHandled = allHandled;
        }

        @Override
        public Batch apply(UserTx tx, Page page) {
            Batch batch = effect.apply(tx, page);
            tx.onCommit(() -> {
                handled += batch.rowsSeen();
                if (handled >= rows) {
                    allHandled.countDown();
                }
            });
            return batch;
        }
    }
}
