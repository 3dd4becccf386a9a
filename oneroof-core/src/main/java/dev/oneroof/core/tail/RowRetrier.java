package dev.oneroof.core.tail;

import dev.oneroof.core.finding.Finding;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.text.Counted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Retries rows that were set aside. Rows that are due are retried together; when that fails, one by one. A row that has
 * failed too often becomes a dead letter: it is counted, raised as a finding, and not retried until an operator replays
 * it.
 */
final class RowRetrier {
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final int TOGETHER = 500;
    private static final int ONE_BY_ONE = 50;

    private final Database db;
    private final TailStores stores;
    private final EffectRunner effects;
    private final CursorPosition position;
    private final TailConfig config;
    private long lookedNanos = System.nanoTime() - INTERVAL.toNanos();

    RowRetrier(Database db, TailStores stores, EffectRunner effects, CursorPosition position, TailConfig config) {
        this.db = db;
        this.stores = stores;
        this.effects = effects;
        this.position = position;
        this.config = config;
    }

    BatchOutcome retry(TailSource source) {
        if (System.nanoTime() - lookedNanos < INTERVAL.toNanos()) {
            return BatchOutcome.DONE;
        }
        lookedNanos = System.nanoTime();
        List<PendingStore.PendingRow> due = db.inTx(tx -> stores.pendings().due(tx, position.scope(), TOGETHER));
        if (due.isEmpty()) {
            return BatchOutcome.DONE;
        }
        // Rows without a time are stored by their id alone: they need a separate page.
        @Nullable String first = due.getFirst().keyTs();
        List<PendingStore.PendingRow> alike = due.stream()
                .filter(row -> (row.keyTs() == null) == (first == null))
                .toList();
        BatchOutcome step = together(source, alike);
        if (step == BatchOutcome.MORE) {
            lookedNanos -= INTERVAL.toNanos();
        }
        return step;
    }

    private BatchOutcome together(TailSource source, List<PendingStore.PendingRow> rows) {
        try {
            return handled(source, rows) ? BatchOutcome.MORE : BatchOutcome.LOST;
        } catch (RuntimeException e) {
            boolean tookTooLong = SqlState.isTimeout(e) && RowFailure.isFromEffect(e);
            if (!RowFailure.isFromRow(e) && !tookTooLong) {
                throw e;
            }
            return rows.size() == 1 ? failed(source, rows.getFirst(), e) : oneByOne(source, rows);
        }
    }

    private BatchOutcome oneByOne(TailSource source, List<PendingStore.PendingRow> rows) {
        BatchOutcome step = BatchOutcome.MORE;
        for (PendingStore.PendingRow row : rows.subList(0, Math.min(ONE_BY_ONE, rows.size()))) {
            step = together(source, List.of(row));
            if (step == BatchOutcome.LOST) {
                return step;
            }
        }
        return step;
    }

    private boolean handled(TailSource source, List<PendingStore.PendingRow> rows) {
        return db.inTx(tx -> {
            CursorStore.BatchStart place = position.open(tx);
            // Read again inside the batch, under its settings; rows that are no longer due stay as they are.
            List<PendingStore.PendingRow> still = stores.pendings().stillDue(tx, rows);
            if (still.isEmpty()) {
                tx.abandon();
                return true;
            }
            Batch batch = effects.applyEffect(tx, new PendingPage(source, tx.schema(), still));
            stores.pendings().processed(tx, still);
            // The rows were counted as seen when they were set aside.
            return close(tx, source, place, new BatchCounts(0, batch.effectsWritten(), 0));
        });
    }

    private BatchOutcome failed(TailSource source, PendingStore.PendingRow row, RuntimeException thrown) {
        boolean dead = row.errors() + 1 >= config.maxAttempts();
        boolean held = db.inTx(tx -> {
            CursorStore.BatchStart place = position.open(tx);
            stores.pendings()
                    .failed(
                            tx,
                            row,
                            RowFailure.of(thrown),
                            dead ? Optional.empty() : Optional.of(effects.pause(row.errors() + 1)));
            if (dead) {
                raise(tx);
            }
            return close(tx, source, place, new BatchCounts(0, 0, dead ? 1 : 0));
        });
        return held ? BatchOutcome.MORE : BatchOutcome.LOST;
    }

    private boolean close(Tx tx, TailSource source, CursorStore.BatchStart place, BatchCounts counts) {
        return position.close(
                tx, source, place, new CursorStore.Move(null, position.settled(), position.kept()), counts);
    }

    private void raise(Tx tx) {
        long open = stores.pendings().dead(tx, position.scope(), config.overflowAt() * 10 + 1);
        String key = position.scope().executorName();
        Map<String, String> evidence = Map.of("open_dead_letters", Long.toString(open));
        stores.findings()
                .raise(
                        tx,
                        new Finding(
                                FindingType.CURSOR_DLQ,
                                key,
                                "%s of %s could not be handled; see: oneroof dlq list"
                                        .formatted(Counted.of(open, "row"), key),
                                evidence));
        if (open > config.overflowAt()) {
            stores.findings()
                    .raise(
                            tx,
                            new Finding(
                                    FindingType.CURSOR_DLQ_OVERFLOW,
                                    key,
                                    "%d dead letters of %s, more than %d: the cause is rarely in the rows"
                                            .formatted(open, key, config.overflowAt()),
                                    evidence));
        }
    }
}
