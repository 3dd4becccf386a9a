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
 * Tries again what was set aside. Rows that are due are tried together; when that fails, one by one. A row that has failed
 * too often is a dead letter: counted, raised, and left alone until an operator replays it.
 */
final class Retries {
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final int TOGETHER = 500;
    private static final int ONE_BY_ONE = 50;

    private final Database db;
    private final TailStores stores;
    private final Effects effects;
    private final Position position;
    private final TailConfig config;
    private long lookedNanos = System.nanoTime() - INTERVAL.toNanos();

    Retries(Database db, TailStores stores, Effects effects, Position position, TailConfig config) {
        this.db = db;
        this.stores = stores;
        this.effects = effects;
        this.position = position;
        this.config = config;
    }

    Step retry(TailSource source) {
        if (System.nanoTime() - lookedNanos < INTERVAL.toNanos()) {
            return Step.DONE;
        }
        lookedNanos = System.nanoTime();
        List<PendingStore.Waiting> due = db.inTx(tx -> stores.pendings().due(tx, position.scope(), TOGETHER));
        if (due.isEmpty()) {
            return Step.DONE;
        }
        // Rows without a time wait under their ids alone: they make a page of their own.
        @Nullable String first = due.getFirst().keyTs();
        List<PendingStore.Waiting> alike = due.stream()
                .filter(row -> (row.keyTs() == null) == (first == null))
                .toList();
        Step step = together(source, alike);
        if (step == Step.MORE) {
            lookedNanos -= INTERVAL.toNanos();
        }
        return step;
    }

    private Step together(TailSource source, List<PendingStore.Waiting> rows) {
        try {
            return handled(source, rows) ? Step.MORE : Step.LOST;
        } catch (RuntimeException e) {
            boolean tookTooLong = SqlState.isTimeout(e) && Failure.isTheEffects(e);
            if (!Failure.isTheRowsFault(e) && !tookTooLong) {
                throw e;
            }
            return rows.size() == 1 ? failed(source, rows.getFirst(), e) : oneByOne(source, rows);
        }
    }

    private Step oneByOne(TailSource source, List<PendingStore.Waiting> rows) {
        Step step = Step.MORE;
        for (PendingStore.Waiting row : rows.subList(0, Math.min(ONE_BY_ONE, rows.size()))) {
            step = together(source, List.of(row));
            if (step == Step.LOST) {
                return step;
            }
        }
        return step;
    }

    private boolean handled(TailSource source, List<PendingStore.Waiting> rows) {
        return db.inTx(tx -> {
            CursorStore.Place place = position.open(tx);
            // Looked at again inside the batch, under its settings; what is no longer due stays as it is.
            List<PendingStore.Waiting> still = stores.pendings().stillDue(tx, rows);
            if (still.isEmpty()) {
                tx.abandon();
                return true;
            }
            Batch batch = effects.applied(tx, new PendingPage(source, tx.schema(), still));
            stores.pendings().processed(tx, still);
            // They were counted as seen when they were set aside.
            return close(tx, source, place, new Counts(0, batch.effectsWritten(), 0));
        });
    }

    private Step failed(TailSource source, PendingStore.Waiting row, RuntimeException thrown) {
        boolean dead = row.errors() + 1 >= config.maxAttempts();
        boolean held = db.inTx(tx -> {
            CursorStore.Place place = position.open(tx);
            stores.pendings()
                    .failed(
                            tx,
                            row,
                            Failure.of(thrown),
                            dead ? Optional.empty() : Optional.of(effects.pause(row.errors() + 1)));
            if (dead) {
                raise(tx);
            }
            return close(tx, source, place, new Counts(0, 0, dead ? 1 : 0));
        });
        return held ? Step.MORE : Step.LOST;
    }

    private boolean close(Tx tx, TailSource source, CursorStore.Place place, Counts counts) {
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
                                    "%d dead letters of %s, more than %d: the cause is rarely the rows"
                                            .formatted(open, key, config.overflowAt()),
                                    evidence));
        }
    }
}
