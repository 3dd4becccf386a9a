package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.read.StretchStore;
import dev.oneroof.core.tail.read.UntimedPage;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.util.Optional;

/**
 * Finds rows whose time is null. They have no place in the order, and their ids may come in any: so the ones that were
 * handled are remembered by their ids, for good. Meant for the few that slip in; a table without times is tailed by its id.
 */
final class Untimed {
    private final Database db;
    private final TailStores stores;
    private final Effects effects;
    private final Position position;
    private final Sizing sizing = new Sizing();

    Untimed(Database db, TailStores stores, Effects effects, Position position) {
        this.db = db;
        this.stores = stores;
        this.effects = effects;
        this.position = position;
    }

    Step look(TailSource source) {
        if (!position.shape().untimed()) {
            return Step.DONE;
        }
        Step step = db.inTx(tx -> handle(tx, source));
        effects.end();
        return step;
    }

    private Step handle(Tx tx, TailSource source) {
        CursorStore.Place place = position.open(tx);
        int limit = sizing.limit(source.batchSize());
        effects.begin(limit, sizing);
        UntimedPage page =
                new UntimedPage(source, Stretch.all(tx.schema(), position.scope(), Stretch.Part.UNTIMED), limit);
        Optional<StretchStore.Captured> found = stores.stretch().capture(tx, position.scope(), page, true);
        if (found.isEmpty()) {
            tx.abandon();
            return Step.DONE;
        }
        StretchStore.Captured keys = found.get();
        Counts counts = effects.onCaptured(tx, source, keys, sizing, true);
        CursorStore.Move to = new CursorStore.Move(null, position.settled(), position.kept());
        if (!position.close(tx, source, place, to, counts)) {
            return Step.LOST;
        }
        boolean full = keys.rows() >= limit;
        tx.onCommit(() -> sizing.succeeded(keys.rows(), full));
        return full ? Step.MORE : Step.DONE;
    }
}
