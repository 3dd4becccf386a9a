package dev.oneroof.core.tail;

import dev.oneroof.core.finding.Finding;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.read.StretchBatches;
import dev.oneroof.core.tail.read.StretchStore;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.text.Counted;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the settled range again. Under a contract that holds, no new row can appear there. One that does shows that the
 * writers break it: a sequence with a cache, times set by applications, a clock that stepped back. Such a row is
 * handled, once, since the keys around it are kept, and {@code cursor_contract_broken} is raised. Below the kept keys
 * only an audit finds such rows.
 */
final class LateRowScanner {
    private static final Logger log = LoggerFactory.getLogger(LateRowScanner.class);
    private static final int MERGE_FROM = 50;

    private final Database db;
    private final TailStores stores;
    private final EffectRunner effects;
    private final CursorPosition position;
    private final TailConfig config;
    private final BatchSizer sizer = new BatchSizer();
    private final Queue<Passed> passed = new ArrayDeque<>();
    private @Nullable Watermark oldSettled;
    private boolean found;
    private int notMergeable;

    /** The settled watermark at a time. */
    private record Passed(Watermark settled, long nanos) {}

    LateRowScanner(Database db, TailStores stores, EffectRunner effects, CursorPosition position, TailConfig config) {
        this.db = db;
        this.stores = stores;
        this.effects = effects;
        this.position = position;
        this.config = config;
    }

    void reset() {
        passed.clear();
        oldSettled = null;
    }

    /** Whether any was found since the last call. */
    boolean foundAny() {
        boolean any = found;
        found = false;
        return any;
    }

    BatchOutcome scan(TailSource source) {
        @Nullable Watermark settled = position.settled();
        if (settled == null || source.contract() == OrderContract.EXTERNAL) {
            return BatchOutcome.DONE;
        }
        remember(settled);
        BatchOutcome step = handled(source, settled);
        if (step == BatchOutcome.DONE) {
            step = db.inTx(tx -> trim(tx, source));
        }
        return step == BatchOutcome.DONE ? db.inTx(tx -> merge(tx, source)) : step;
    }

    /** Keys are kept for a limited time; below the settled watermark of that time nothing is scanned. */
    private void remember(Watermark settled) {
        long now = System.nanoTime();
        passed.add(new Passed(settled, now));
        while (now - passed.element().nanos() > config.keptFor().toNanos()) {
            oldSettled = passed.remove().settled();
        }
    }

    /**
     * Where the scan starts. The kept keys determine it, but only rows move them: where the filter drops most rows, the
     * range above them would grow without bound.
     */
    private @Nullable Watermark from(Tx tx, TailSource source) {
        @Nullable Watermark kept = position.kept();
        @Nullable Watermark old = oldSettled;
        boolean keptIsHigher =
                old == null || (kept != null && !stores.contracts().isLower(tx, position.key(source), kept, old));
        return keptIsHigher ? kept : old;
    }

    private BatchOutcome handled(TailSource source, Watermark settled) {
        try {
            BatchOutcome step = db.inTx(tx -> handle(tx, source, settled));
            effects.finish();
            return step;
        } catch (RuntimeException e) {
            // Rows that were found are not skipped, however long their effect takes.
            if (source.filter() == null || !SqlState.isTimeout(e) || RowFailure.isFromEffect(e)) {
                throw e;
            }
            // Where the filter drops most rows a scan may time out. The tail must not stop for it.
            log.warn("{}: the scan for late rows up to {} timed out and is skipped", position.scope(), settled);
            oldSettled = settled;
            effects.finish();
            return BatchOutcome.DONE;
        }
    }

    private BatchOutcome handle(Tx tx, TailSource source, Watermark settled) {
        CursorStore.BatchStart place = position.open(tx);
        int limit = sizer.limit(source.batchSize());
        effects.startRead(limit, sizer);
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
            return BatchOutcome.DONE;
        }
        StretchStore.Captured keys = late.get();
        BatchCounts counts = effects.applyCaptured(tx, source, keys, sizer);
        stores.stretch().keepUpTo(tx, position.scope(), position.key(source), settled, keys.batches());
        // A row that now matches the filter is new to the tail, and breaks no contract.
        boolean broken = source.filter() == null;
        if (broken) {
            raise(tx, source, settled, keys);
        }
        if (!position.close(
                tx, source, place, new CursorStore.Move(null, position.settled(), position.kept()), counts)) {
            return BatchOutcome.LOST;
        }
        boolean full = keys.rows() >= limit;
        tx.onCommit(() -> {
            sizer.succeeded(keys.rows(), full);
            found |= broken;
        });
        return full ? BatchOutcome.MORE : BatchOutcome.DONE;
    }

    private void raise(Tx tx, TailSource source, Watermark settled, StretchStore.Captured keys) {
        stores.findings()
                .raise(
                        tx,
                        new Finding(
                                FindingType.CURSOR_CONTRACT_BROKEN,
                                position.scope().executorName(),
                                "found %s below the settled watermark, handled late: the writers of '%s' do not keep the contract '%s'. %s"
                                        .formatted(
                                                Counted.of(keys.rows(), "row"),
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

    private BatchOutcome trim(Tx tx, TailSource source) {
        CursorStore.BatchStart place = position.open(tx);
        Optional<Watermark> from =
                stores.stretch().trim(tx, position.scope(), position.key(source), config.keptFor(), config.keptKeys());
        if (from.isEmpty()) {
            tx.abandon();
            return BatchOutcome.DONE;
        }
        @Nullable Watermark kept = position.kept();
        boolean lower = kept != null && stores.contracts().isLower(tx, position.key(source), from.get(), kept);
        CursorStore.Move to = new CursorStore.Move(null, position.settled(), lower ? kept : from.get());
        return position.close(tx, source, place, to, new BatchCounts(0, 0, 0)) ? BatchOutcome.DONE : BatchOutcome.LOST;
    }

    private BatchOutcome merge(Tx tx, TailSource source) {
        StretchBatches open = position.openBatches();
        List<Long> small = open.smallerThan(StretchStore.SMALL);
        // The batches that could not be merged last time, dated in the future, would only be read again.
        if (small.size() < notMergeable + MERGE_FROM) {
            tx.abandon();
            return BatchOutcome.DONE;
        }
        CursorStore.BatchStart place = position.open(tx);
        StretchStore.Merged merged = stores.stretch().merge(tx, position.scope(), position.key(source), small);
        position.setOpenBatches(tx, open.minus(merged.gone()).plus(merged.made()));
        tx.onCommit(() -> notMergeable = small.size() - merged.gone().size());
        CursorStore.Move to = new CursorStore.Move(null, position.settled(), position.kept());
        return position.close(tx, source, place, to, new BatchCounts(0, 0, 0)) ? BatchOutcome.DONE : BatchOutcome.LOST;
    }
}
