package dev.oneroof.core.tabletail;

import dev.oneroof.core.finding.Finding;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Tx;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks again at what is settled. Under a contract that holds, no row can appear there any more; one that does tells that
 * the writers do not keep it: a sequence with a cache, times made by applications, a clock that stepped back. Such a row is
 * handled, once, since the keys around it are kept, and {@code cursor_contract_broken} is raised. Behind the kept keys only
 * the audit sees.
 */
final class LateRows {
    private static final long MANY = 50;

    private final Database db;
    private final TailStores stores;
    private final Effects effects;
    private final Position position;
    private final TailConfig config;
    private final Sizing sizing = new Sizing();
    private boolean found;

    LateRows(Database db, TailStores stores, Effects effects, Position position, TailConfig config) {
        this.db = db;
        this.stores = stores;
        this.effects = effects;
        this.position = position;
        this.config = config;
    }

    /** Whether any came since this was last asked. */
    boolean foundAny() {
        boolean any = found;
        found = false;
        return any;
    }

    Step look(TailSource source) {
        @Nullable Watermark settled = position.settled();
        if (settled == null || source.contract() == OrderContract.EXTERNAL) {
            return Step.DONE;
        }
        Step step = db.inTx(tx -> handle(tx, source, settled));
        if (step == Step.DONE) {
            step = db.inTx(tx -> trim(tx, source));
        }
        return step == Step.DONE ? db.inTx(tx -> merge(tx, source)) : step;
    }

    private Step handle(Tx tx, TailSource source, Watermark settled) {
        CursorStore.Place place = position.open(tx);
        int limit = sizing.limit(source.batchSize());
        KeysetPage page = new KeysetPage(
                source,
                position.shape().partitioned(),
                position.kept(),
                settled,
                new Stretch(position.scope(), Stretch.Part.TIMED),
                limit);
        Optional<StretchStore.Captured> late = stores.stretch().capture(tx, position.scope(), page, false);
        if (late.isEmpty()) {
            tx.abandon();
            return Step.DONE;
        }
        StretchStore.Captured keys = late.get();
        Counts counts = effects.onCaptured(tx, source, keys, sizing);
        stores.stretch().keepUpTo(tx, position.scope(), position.key(source), settled);
        // A row that has come to fit the filter is new to us, and nobody's broken promise.
        boolean broken = source.filter() == null;
        if (broken) {
            raise(tx, source, settled, keys);
        }
        if (!position.close(
                tx, source, place, new CursorStore.Move(null, position.settled(), position.kept()), counts)) {
            return Step.LOST;
        }
        boolean full = keys.rows() >= limit;
        tx.onCommit(() -> {
            sizing.succeeded(keys.rows(), full);
            found |= broken;
        });
        return full ? Step.MORE : Step.DONE;
    }

    private void raise(Tx tx, TailSource source, Watermark settled, StretchStore.Captured keys) {
        stores.findings()
                .raise(
                        tx,
                        new Finding(
                                FindingType.CURSOR_CONTRACT_BROKEN,
                                position.scope().executorName(),
                                "rows appeared below the settled watermark: the writers of '%s' do not keep the contract '%s'; they were handled late. Register it as 'external'"
                                        .formatted(
                                                source.name(), source.contract().sql()),
                                Map.of(
                                        "rows", Integer.toString(keys.rows()),
                                        "highest_key", String.valueOf(keys.head()),
                                        "settled", settled.toString()),
                                keys.rows()));
    }

    private Step trim(Tx tx, TailSource source) {
        CursorStore.Place place = position.open(tx);
        Optional<Watermark> from =
                stores.stretch().trim(tx, position.scope(), position.key(source), config.keptFor(), config.keptKeys());
        if (from.isEmpty()) {
            tx.abandon();
            return Step.DONE;
        }
        @Nullable Watermark kept = position.kept();
        boolean lower = kept != null && stores.contracts().isLower(tx, position.key(source), from.get(), kept);
        CursorStore.Move to = new CursorStore.Move(null, position.settled(), lower ? kept : from.get());
        return position.close(tx, source, place, to, new Counts(0, 0, 0)) ? Step.DONE : Step.LOST;
    }

    private Step merge(Tx tx, TailSource source) {
        if (stores.stretch().small(tx, position.scope()) < MANY) {
            tx.abandon();
            return Step.DONE;
        }
        CursorStore.Place place = position.open(tx);
        stores.stretch().merge(tx, position.scope(), position.key(source));
        CursorStore.Move to = new CursorStore.Move(null, position.settled(), position.kept());
        return position.close(tx, source, place, to, new Counts(0, 0, 0)) ? Step.DONE : Step.LOST;
    }
}
