package dev.oneroof.core.tail;

import dev.oneroof.core.act.ActStore;
import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.source.ContractCheck;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.OrderKey;
import dev.oneroof.core.tail.source.SourceDifferences;
import dev.oneroof.core.tail.source.SourceInspector;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Changes a registered source while it is tailed, and shows the effect on each of its cursors before.
 *
 * <p>Batch size, intervals, mode, zone and a filter where there was none leave positions valid. Three changes do not:
 *
 * <ul>
 *   <li>Another filter, or none any more. Rows below settled that the old filter dropped were passed and never handled, and cannot be told from handled ones. The cursor hands out all rows again, as a replay does and behind the same gate.
 *   <li>From {@code external} to a contract with a barrier. Rows may have been missed below settled, and it is unknown which: a replay as well.
 *   <li>From {@code clock} to {@code external}. Settled is close to the clock, and the re-read window starts there. It moves back to the start of the kept keys, which are above settled again: rows that arrive late there are found, and no row is handed out twice.
 * </ul>
 */
final class SourceAlteration {
    private final TailStores stores = TailStores.standard();
    private final SourceInspector inspection = new SourceInspector();
    private final AlterStore store = new AlterStore();
    private final OperatorStore operators = new OperatorStore();
    private final GateStore gates = new GateStore();
    private final ActStore acts = new ActStore();

    /** The effects of the change; throws where it would be refused. */
    AlterPlan plan(Tx tx, TailSource before, TailSource after, @Nullable Watermark to, boolean counting) {
        demandSameKey(before, after);
        List<String> warnings = needsInspection(before, after)
                ? inspection
                        .inspect(
                                tx,
                                after,
                                before.contract() == after.contract()
                                        ? ContractCheck.Strictness.REGISTERED
                                        : ContractCheck.Strictness.NEW)
                        .warnings()
                : List.of();
        List<AlterPlan.CursorChange> cursors = new ArrayList<>();
        for (Cursor cursor : stores.cursors().of(tx, before.name())) {
            AlterPlan.Effect effect = effect(tx, before, after, cursor, to, counting);
            cursors.add(new AlterPlan.CursorChange(cursor.scope(), cursor.settled(), effect));
        }
        return new AlterPlan(
                before, after, SourceDifferences.changes(before, after), to, List.copyOf(cursors), warnings);
    }

    /** Makes the change that was shown, if it still has the same effects. */
    AlterPlan apply(Tx tx, AlterPlan shown, OperatorAct by) {
        String name = shown.before().name();
        if (!store.lockSource(tx, name)) {
            throw SourceStore.unknown(name);
        }
        // The stretch before the cursor, as batches lock them; once more below for what is committed in between.
        shown.cursors().forEach(cursor -> changeKeys(tx, cursor.scope(), cursor.effect()));
        store.lockCursors(tx, name);
        TailSource now = stores.sources().find(tx, name).orElseThrow(() -> SourceStore.unknown(name));
        if (!now.equals(shown.before())) {
            throw stale(name);
        }
        AlterPlan plan = plan(tx, now, shown.after(), shown.to(), false);
        if (!plan.isLike(shown)) {
            throw stale(name);
        }
        if (plan.changesNothing()) {
            return plan;
        }
        if (plan.replays()) {
            gates.demandOpen(tx, Gates.REPLAY);
        }
        store.alter(tx, plan.after());
        acts.record(tx, "source_alter", name, by, null, String.join(", ", plan.changes()), null);
        for (Cursor cursor : stores.cursors().of(tx, name)) {
            plan.cursors().stream()
                    .filter(planned -> planned.scope().equals(cursor.scope()))
                    .findFirst()
                    .ifPresent(planned -> change(tx, plan, cursor, planned.effect(), by));
        }
        return plan;
    }

    private void changeKeys(Tx tx, Scope scope, AlterPlan.Effect effect) {
        switch (effect) {
            case AlterPlan.Effect.Continues on -> {}
            case AlterPlan.Effect.Rereads again -> store.reopenKeys(tx, scope);
            case AlterPlan.Effect.Replays repeats -> operators.forgetKeys(tx, scope, repeats.from());
        }
    }

    private void change(Tx tx, AlterPlan plan, Cursor cursor, AlterPlan.Effect effect, OperatorAct by) {
        changeKeys(tx, cursor.scope(), effect);
        switch (effect) {
            case AlterPlan.Effect.Continues on -> store.goOn(tx, cursor.scope());
            case AlterPlan.Effect.Rereads again -> {
                store.readAgain(tx, cursor.scope(), by);
                record(tx, cursor, cursor.kept(), by);
            }
            case AlterPlan.Effect.Replays repeats -> {
                operators.setBack(tx, cursor.scope(), by, cursor, repeats.from());
                record(tx, cursor, repeats.from(), by);
            }
        }
        boolean isHeld = cursor.state() instanceof Cursor.State.Held;
        if (plan.before().contract() != plan.after().contract() && !isHeld) {
            stores.findings()
                    .resolve(
                            tx,
                            FindingType.CURSOR_CONTRACT_BROKEN,
                            cursor.scope().executorName());
        }
    }

    private void record(Tx tx, Cursor cursor, @Nullable Watermark from, OperatorAct by) {
        acts.record(
                tx,
                "cursor_reread",
                cursor.scope().executorName(),
                by,
                String.valueOf(cursor.settled()),
                from == null ? "the beginning" : from.toString(),
                null);
    }

    private AlterPlan.Effect effect(
            Tx tx, TailSource before, TailSource after, Cursor cursor, @Nullable Watermark to, boolean counting) {
        if (cursor.settled() == null) {
            return new AlterPlan.Effect.Continues("it has settled nothing yet");
        }
        if (before.contract() == OrderContract.EXTERNAL && after.contract() != OrderContract.EXTERNAL) {
            return repeats(
                    tx,
                    after,
                    cursor,
                    to,
                    counting,
                    "what was passed under 'external' is not proven to be all, and handled rows cannot be told from missed ones");
        }
        if (isFilterChanged(before, after) && before.filter() != null) {
            return repeats(
                    tx,
                    after,
                    cursor,
                    to,
                    counting,
                    "rows that the old filter left out were passed, and handled rows cannot be told from them");
        }
        if (before.contract() != after.contract()) {
            return new AlterPlan.Effect.Rereads(
                    cursor.kept(),
                    "no row is handed out twice; rows that arrive later below this position are missed until an audit or a replay finds them");
        }
        return new AlterPlan.Effect.Continues(
                isFilterChanged(before, after)
                        ? "all rows are handled up to here"
                        : "its position does not depend on the change");
    }

    private AlterPlan.Effect repeats(
            Tx tx, TailSource after, Cursor cursor, @Nullable Watermark to, boolean counting, String why) {
        demandBehind(tx, after, cursor, to);
        return new AlterPlan.Effect.Replays(
                to,
                why + "; effects with a unique key stay as they are, others happen again",
                counting ? counted(tx, after, to, furthest(tx, after, cursor)) : null);
    }

    /** Settled passes head where no row has arrived for a while. */
    private @Nullable Watermark furthest(Tx tx, TailSource source, Cursor cursor) {
        @Nullable Watermark head = cursor.head();
        @Nullable Watermark settled = cursor.settled();
        return head == null || (settled != null && stores.contracts().isLower(tx, key(tx, source), head, settled))
                ? settled
                : head;
    }

    private OrderKey key(Tx tx, TailSource source) {
        return new OrderKey(source, stores.sources().shape(tx, source).collation());
    }

    private void demandBehind(Tx tx, TailSource source, Cursor cursor, @Nullable Watermark to) {
        CursorReport.demandFits(tx, stores, source, stores.sources().shape(tx, source), cursor, to);
    }

    private CursorReport.@Nullable Preview counted(
            Tx tx, TailSource source, @Nullable Watermark from, @Nullable Watermark upTo) {
        return store.counted(
                        tx,
                        new KeysetPage(
                                source, stores.sources().shape(tx, source).partitioned(), from, upTo, null, (int)
                                        CursorReport.COUNTED_UP_TO))
                .orElse(null);
    }

    /**
     * The table is inspected again only for changes that depend on it: the batch size can be changed whatever else is
     * wrong.
     */
    private static boolean needsInspection(TailSource before, TailSource after) {
        return before.contract() != after.contract()
                || isFilterChanged(before, after)
                || !Objects.equals(before.time(), after.time());
    }

    private static boolean isFilterChanged(TailSource before, TailSource after) {
        return !Objects.equals(before.filter(), after.filter());
    }

    private static void demandSameKey(TailSource before, TailSource after) {
        boolean same = before.name().equals(after.name())
                && before.relation().equals(after.relation())
                && before.id().equals(after.id())
                && columnOf(before).equals(columnOf(after));
        boolean isSwapped = before.contract() != after.contract()
                && before.contract() != OrderContract.EXTERNAL
                && after.contract() != OrderContract.EXTERNAL;
        if (!same || isSwapped) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "contract: '%s' cannot become '%s' in '%s': the order key would be another one (%s), and no cursor could continue; register the table under another name, or remove the source first"
                            .formatted(
                                    before.contract().sql(),
                                    after.contract().sql(),
                                    before.name(),
                                    after.contract() == OrderContract.SEQUENCE ? "the id alone" : "a time and the id"));
        }
    }

    private static Optional<String> columnOf(TailSource source) {
        TailSource.TimeColumn time = source.time();
        return Optional.ofNullable(time).map(column -> column.column() + " " + column.type());
    }

    private static OneRoofException stale(String name) {
        return new OneRoofException(
                ErrorCode.CONFLICT,
                "source: '%s' or one of its cursors has changed since the plan was shown; plan the change again"
                        .formatted(name));
    }
}
