package dev.oneroof.core.tail;

import dev.oneroof.core.finding.Finding;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.tail.read.Batches;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.read.StretchStore;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks again at what is settled. Under a contract that holds, no row can appear there any more; one that does tells that
 * the writers do not keep it: a sequence with a cache, times made by applications, a clock that stepped back. Such a row is
 * handled, once, since the keys around it are kept, and {@code cursor_contract_broken} is raised. Behind the kept keys only
 * the audit sees.
 */
final class LateRows {
    private static final Logger log = LoggerFactory.getLogger(LateRows.class);
    private static final int MANY = 50;

    private final Database db;
    private final TailStores stores;
    private final Effects effects;
    private final Position position;
    private final TailConfig config;
    private final Sizing sizing = new Sizing();
    private final Queue<Passed> passed = new ArrayDeque<>();
    private @Nullable Watermark before;
    private boolean found;
    private int leftOver;

    /** Where settled stood at a time. */
    private record Passed(Watermark settled, long nanos) {}

    LateRows(Database db, TailStores stores, Effects effects, Position position, TailConfig config) {
        this.db = db;
        this.stores = stores;
        this.effects = effects;
        this.position = position;
        this.config = config;
    }

    void forget() {
        passed.clear();
        before = null;
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
        remember(settled);
        Step step = handled(source, settled);
        if (step == Step.DONE) {
            step = db.inTx(tx -> trim(tx, source));
        }
        return step == Step.DONE ? db.inTx(tx -> merge(tx, source)) : step;
    }

    /** Keys are kept for so long; where settled stood before that, nobody looks any more. */
    private void remember(Watermark settled) {
        long now = System.nanoTime();
        passed.add(new Passed(settled, now));
        while (now - passed.element().nanos() > config.keptFor().toNanos()) {
            before = passed.remove().settled();
        }
    }

    /**
     * Where to look from. The kept keys say so, but only rows move them on: where a filter lets hardly any through, the
     * stretch behind them would grow for ever.
     */
    private @Nullable Watermark from(Tx tx, TailSource source) {
        @Nullable Watermark kept = position.kept();
        @Nullable Watermark old = before;
        boolean keptIsHigher =
                old == null || (kept != null && !stores.contracts().isLower(tx, position.key(source), kept, old));
        return keptIsHigher ? kept : old;
    }

    private Step handled(TailSource source, Watermark settled) {
        try {
            Step step = db.inTx(tx -> handle(tx, source, settled));
            effects.end();
            return step;
        } catch (RuntimeException e) {
            // Rows that were found are not left out, however long their effect takes.
            if (source.filter() == null || !SqlState.isTimeout(e) || Failure.isTheEffects(e)) {
                throw e;
            }
            // Among rows that are mostly filtered out a look may take too long. The tail must not stand still for it.
            log.warn("{}: the look for late rows up to {} took too long and is left out", position.scope(), settled);
            before = settled;
            effects.end();
            return Step.DONE;
        }
    }

    private Step handle(Tx tx, TailSource source, Watermark settled) {
        CursorStore.Place place = position.open(tx);
        int limit = sizing.limit(source.batchSize());
        effects.begin(limit, sizing);
        KeysetPage page = new KeysetPage(
                source,
                position.shape().partitioned(),
                from(tx, source),
                settled,
                Stretch.all(tx.schema(), position.scope(), Stretch.Part.TIMED),
                limit);
        Optional<StretchStore.Captured> late = stores.stretch().capture(tx, position.scope(), page, false);
        if (late.isEmpty()) {
            tx.abandon();
            return Step.DONE;
        }
        StretchStore.Captured keys = late.get();
        Counts counts = effects.onCaptured(tx, source, keys, sizing);
        stores.stretch().keepUpTo(tx, position.scope(), position.key(source), settled, keys.batches());
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
                                "rows appeared below the settled watermark: the writers of '%s' do not keep the contract '%s'; they were handled late. %s"
                                        .formatted(
                                                source.name(),
                                                source.contract().sql(),
                                                source.time() == null
                                                        ? "Let the sequence alone make the ids, or register the table under another name with a time column, as 'external'"
                                                        : "Let the database set the time, or alter the source's contract to 'external'"),
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
        Batches open = position.openBatches();
        List<Long> small = open.smallerThan(StretchStore.SMALL);
        // Those that were left over last time, dated in the future, would only be looked at again.
        if (small.size() < leftOver + MANY) {
            tx.abandon();
            return Step.DONE;
        }
        CursorStore.Place place = position.open(tx);
        StretchStore.Merged merged = stores.stretch().merge(tx, position.scope(), position.key(source), small);
        position.holds(tx, open.minus(merged.gone()).plus(merged.made()));
        tx.onCommit(() -> leftOver = small.size() - merged.gone().size());
        CursorStore.Move to = new CursorStore.Move(null, position.settled(), position.kept());
        return position.close(tx, source, place, to, new Counts(0, 0, 0)) ? Step.DONE : Step.LOST;
    }
}
