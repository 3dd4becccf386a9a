package dev.oneroof.core.tabletail;

import dev.oneroof.core.finding.FindingType;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.operator.ActLog;
import dev.oneroof.core.operator.OperatorAct;
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
 * <p>Batch size, intervals, mode, zone and the step to {@code external} leave a position what it is. Two changes do not:
 *
 * <ul>
 *   <li>Another filter. Rows below settled that the old one left out were passed and never handled. The cursor reads again
 *       from the start; what it has handled is known exactly, as the rows up to settled for which the old filter held and the
 *       keys in the stretch, so that no row is handed out twice. That is kept with the cursor as a {@link PriorFilter}, also
 *       where all rows were read and nothing has to be read again: the next change needs it.
 *   <li>From {@code external} to a contract with a barrier. Rows may have been missed below settled, and nothing tells
 *       which. The cursor hands out everything again, as a replay does and behind the same gate.
 * </ul>
 */
final class SourceAlteration {
    /** Each is looked at for every row that is read. */
    private static final int MOST_PRIORS = 8;

    private static final long MOST_KEYS = 100_000;

    private final TailStores stores = TailStores.standard();
    private final SourceInspection inspection = new SourceInspection();
    private final AlterStore store = new AlterStore();
    private final OperatorStore operators = new OperatorStore();
    private final GateStore gates = new GateStore();
    private final ActLog acts = new ActLog();

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
        shown.cursors().forEach(cursor -> changeKeys(tx, shown, cursor.scope(), cursor.effect()));
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

    private void changeKeys(Tx tx, AlterPlan plan, Scope scope, AlterPlan.Effect effect) {
        if (effect instanceof AlterPlan.Effect.Repeats repeats) {
            operators.forgetKeys(tx, scope, repeats.from());
        } else if (isFilterChanged(plan.before(), plan.after())) {
            store.keepKeys(tx, scope);
        }
    }

    private void change(Tx tx, AlterPlan plan, Cursor cursor, AlterPlan.Effect effect, OperatorAct by) {
        changeKeys(tx, plan, cursor.scope(), effect);
        switch (effect) {
            case AlterPlan.Effect.GoesOn on ->
                store.goOn(tx, cursor.scope(), priors(tx, plan.before(), plan.after(), cursor));
            case AlterPlan.Effect.ReadsAgain again -> {
                store.readAgain(tx, cursor.scope(), again.from(), priors(tx, plan.before(), plan.after(), cursor));
                record(tx, cursor, again.from(), by);
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
        @Nullable Watermark settled = cursor.settled();
        if (isFilterChanged(before, after)) {
            demandFewKeys(tx, cursor);
        }
        if (settled == null) {
            return new AlterPlan.Effect.GoesOn("it has settled nothing yet");
        }
        if (before.contract() == OrderContract.EXTERNAL && after.contract() != OrderContract.EXTERNAL) {
            demandBehind(tx, after, cursor, to);
            return new AlterPlan.Effect.Repeats(
                    to,
                    "what was passed under 'external' is not proven to be all, and handled rows cannot be told from missed ones; effects with a key of their own stay as they are, others happen once more",
                    counting ? counted(tx, after, to, cursor.head()) : null);
        }
        if (!isFilterChanged(before, after)) {
            return new AlterPlan.Effect.GoesOn(
                    before.contract() != after.contract()
                            ? "from here on, rows that commit late behind the re-read window are missed"
                            : "its place does not depend on what changes");
        }
        List<PriorFilter> priors = priors(tx, before, after, cursor);
        @Nullable Watermark from = from(tx, after, priors);
        if (from != null && !stores.contracts().isLower(tx, key(tx, after), from, settled)) {
            return new AlterPlan.Effect.GoesOn("all rows that the new filter lets through are handled up to here");
        }
        demandBehind(tx, after, cursor, to);
        if (to != null && (from == null || stores.contracts().isLower(tx, key(tx, after), from, to))) {
            from = to;
        }
        if (priors.size() > MOST_PRIORS) {
            throw new OneRoofException(
                    ErrorCode.CONFLICT,
                    "filter: '%s' was changed %d times, and '%s' keeps what it has handled under each; replay that cursor first, which forgets it"
                            .formatted(after.name(), MOST_PRIORS, cursor.scope()));
        }
        TailSource unhandled = Reading.of(after, with(cursor, priors)).unhandled();
        return new AlterPlan.Effect.ReadsAgain(
                from,
                "rows that the old filter left out were passed; those that were handled are not handed out again",
                counting ? counted(tx, unhandled, from, settled) : null);
    }

    /** What the cursor will have handled under other filters than the new one; what lies below another of the kind is left out. */
    private List<PriorFilter> priors(Tx tx, TailSource before, TailSource after, Cursor cursor) {
        @Nullable Watermark settled = cursor.settled();
        if (settled == null || !isFilterChanged(before, after)) {
            return cursor.priors();
        }
        List<PriorFilter> priors = new ArrayList<>();
        OrderKey key = key(tx, before);
        for (PriorFilter prior : cursor.priors()) {
            boolean isCovered = (before.filter() == null || before.filter().equals(prior.filter()))
                    && !stores.contracts().isLower(tx, key, settled, prior.upTo());
            if (!isCovered) {
                priors.add(prior);
            }
        }
        priors.add(new PriorFilter(before.filter(), settled));
        return List.copyOf(priors);
    }

    /** Behind which place a row may be unhandled that the new filter lets through; null is the very beginning. */
    private @Nullable Watermark from(Tx tx, TailSource after, List<PriorFilter> priors) {
        OrderKey key = key(tx, after);
        @Nullable Watermark highest = null;
        for (PriorFilter prior : priors) {
            boolean isAll = prior.filter() == null || prior.filter().equals(after.filter());
            if (isAll && (highest == null || stores.contracts().isLower(tx, key, highest, prior.upTo()))) {
                highest = prior.upTo();
            }
        }
        return highest;
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

    private static Cursor with(Cursor cursor, List<PriorFilter> priors) {
        return new Cursor(
                cursor.scope(),
                cursor.head(),
                cursor.settled(),
                cursor.kept(),
                cursor.eventsSeen(),
                cursor.attemptsWritten(),
                cursor.deadLettered(),
                cursor.phase(),
                cursor.version(),
                cursor.standing(),
                priors);
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

    /** They are kept for good, and looked at with every page. */
    private void demandFewKeys(Tx tx, Cursor cursor) {
        long keys = store.openKeys(tx, cursor.scope());
        if (keys > MOST_KEYS) {
            throw new OneRoofException(
                    ErrorCode.CONFLICT,
                    "filter: '%s' has handled %d rows above its settled watermark, and %d at most can be kept in mind; wait until the transactions have ended that hold it back, or replay it"
                            .formatted(cursor.scope(), keys, MOST_KEYS));
        }
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
