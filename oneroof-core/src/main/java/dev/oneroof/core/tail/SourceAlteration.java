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
import dev.oneroof.core.tail.source.SourceInspection;
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
 * Changes a registered source while it is read, and says before what that means for each of its cursors.
 *
 * <p>Batch size, intervals, mode, zone and a filter where there was none leave a position what it is. Three changes do not:
 *
 * <ul>
 *   <li>Another filter, or none any more. Rows below settled that the old one left out were passed and never handled, and
 *       nothing tells them from those that were handled. The cursor hands out everything again, as a replay does and behind
 *       the same gate.
 *   <li>From {@code external} to a contract with a barrier. Rows may have been missed below settled, and nothing tells
 *       which: a replay as well.
 *   <li>From {@code clock} to {@code external}. Settled stands close to the clock, and the re-read window begins there. It
 *       goes back to where the kept keys begin, and these are above settled again: rows that arrive late there are found,
 *       and no row is handed out twice.
 * </ul>
 */
final class SourceAlteration {
    private final TailStores stores = TailStores.standard();
    private final SourceInspection inspection = new SourceInspection();
    private final AlterStore store = new AlterStore();
    private final OperatorStore operators = new OperatorStore();
    private final GateStore gates = new GateStore();
    private final ActStore acts = new ActStore();

    /** What the change would mean; throws where it would be refused. */
    AlterPlan plan(Tx tx, TailSource before, TailSource after, @Nullable Watermark to, boolean counting) {
        demandSameKey(before, after);
        List<String> warnings = isLookedAt(before, after)
                ? inspection
                        .inspect(
                                tx,
                                after,
                                before.contract() == after.contract()
                                        ? ContractCheck.Strictness.REGISTERED
                                        : ContractCheck.Strictness.NEW)
                        .warnings()
                : List.of();
        List<AlterPlan.ForCursor> cursors = new ArrayList<>();
        for (Cursor cursor : stores.cursors().of(tx, before.name())) {
            AlterPlan.Effect effect = effect(tx, before, after, cursor, to, counting);
            cursors.add(new AlterPlan.ForCursor(cursor.scope(), cursor.settled(), effect));
        }
        return new AlterPlan(
                before, after, SourceDifferences.changes(before, after), to, List.copyOf(cursors), warnings);
    }

    /** Makes the change that was shown, if it still means the same. */
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
        if (plan.repeats()) {
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
            case AlterPlan.Effect.GoesOn on -> {}
            case AlterPlan.Effect.ReadsAgain again -> store.reopenKeys(tx, scope);
            case AlterPlan.Effect.Repeats repeats -> operators.forgetKeys(tx, scope, repeats.from());
        }
    }

    private void change(Tx tx, AlterPlan plan, Cursor cursor, AlterPlan.Effect effect, OperatorAct by) {
        changeKeys(tx, cursor.scope(), effect);
        switch (effect) {
            case AlterPlan.Effect.GoesOn on -> store.goOn(tx, cursor.scope());
            case AlterPlan.Effect.ReadsAgain again -> {
                store.readAgain(tx, cursor.scope(), by);
                record(tx, cursor, cursor.kept(), by);
            }
            case AlterPlan.Effect.Repeats repeats -> {
                operators.setBack(tx, cursor.scope(), by, cursor, repeats.from());
                record(tx, cursor, repeats.from(), by);
            }
        }
        boolean isHeld = cursor.standing() instanceof Cursor.Standing.Held;
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
            return new AlterPlan.Effect.GoesOn("it has settled nothing yet");
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
            return new AlterPlan.Effect.ReadsAgain(
                    cursor.kept(),
                    "no row is handed out twice; rows that arrive later below this place are missed until an audit or a replay finds them");
        }
        return new AlterPlan.Effect.GoesOn(
                isFilterChanged(before, after)
                        ? "all rows are handled up to here"
                        : "its place does not depend on what changes");
    }

    private AlterPlan.Effect repeats(
            Tx tx, TailSource after, Cursor cursor, @Nullable Watermark to, boolean counting, String why) {
        demandBehind(tx, after, cursor, to);
        return new AlterPlan.Effect.Repeats(
                to,
                why + "; effects with a key of their own stay as they are, others happen once more",
                counting ? counted(tx, after, to, furthest(tx, after, cursor)) : null);
    }

    /** Settled passes head where no row has come for long. */
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

    /** The table is looked at again only for what depends on it: a batch can be made smaller whatever else is wrong. */
    private static boolean isLookedAt(TailSource before, TailSource after) {
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
                    "contract: '%s' cannot become '%s' in '%s': the order key would be another one (%s), and no cursor could go on; register the table under another name, or remove the source first"
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
                "source: '%s' or one of its cursors has changed since this was shown; look again".formatted(name));
    }
}
