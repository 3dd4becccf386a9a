package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.read.StretchStore;
import dev.oneroof.core.tail.read.UntimedPage;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.util.Optional;

/**
 * Finds rows whose time is null. They have no position in the order, and their ids may arrive in any order. So the ids
 * of handled rows are kept for good. This is meant for a few such rows; a table without times is tailed by its id.
 */
final class UntimedRowScanner {
    private final Database db;
    private final TailStores stores;
    private final EffectRunner effects;
    private final CursorPosition position;
    private final BatchSizer sizer = new BatchSizer();

    UntimedRowScanner(Database db, TailStores stores, EffectRunner effects, CursorPosition position) {
        this.db = db;
        this.stores = stores;
        this.effects = effects;
        this.position = position;
    }

    BatchOutcome scan(TailSource source) {
        if (!position.shape().untimed()) {
            return BatchOutcome.DONE;
        }
        BatchOutcome step = db.inTx(tx -> handle(tx, source));
        effects.finish();
        return step;
    }

    private BatchOutcome handle(Tx tx, TailSource source) {
        CursorStore.BatchStart place = position.open(tx);
        int limit = sizer.limit(source.batchSize());
        effects.startRead(limit, sizer);
        UntimedPage page =
                new UntimedPage(source, Stretch.all(tx.schema(), position.scope(), Stretch.Part.UNTIMED), limit);
        Optional<StretchStore.Captured> found = stores.stretch().capture(tx, position.scope(), page, true);
        if (found.isEmpty()) {
            tx.abandon();
            return BatchOutcome.DONE;
        }
        StretchStore.Captured keys = found.get();
        BatchCounts counts = effects.applyCaptured(tx, source, keys, sizer, true);
        CursorStore.Move to = new CursorStore.Move(null, position.settled(), position.kept());
        if (!position.close(tx, source, place, to, counts)) {
            return BatchOutcome.LOST;
        }
        boolean full = keys.rows() >= limit;
        tx.onCommit(() -> sizer.succeeded(keys.rows(), full));
        return full ? BatchOutcome.MORE : BatchOutcome.DONE;
    }
}
