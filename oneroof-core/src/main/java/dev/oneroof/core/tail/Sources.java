package dev.oneroof.core.tail;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.tail.source.InspectionResult;
import dev.oneroof.core.tail.source.SourceCheck;
import dev.oneroof.core.tail.source.SourceDrafter;
import dev.oneroof.core.tail.source.SourceInspector;
import dev.oneroof.core.tail.source.SourceOutline;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.SourceUse;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** The acts of operators on sources. Each method is one transaction. */
public final class Sources {
    private final Database db;
    private final SourceStore store = new SourceStore();
    private final SourceDrafter drafting = new SourceDrafter();
    private final SourceInspector inspection = new SourceInspector();
    private final SourceAlteration alteration = new SourceAlteration();

    public Sources(Database db) {
        this.db = db;
    }

    /**
     * A source over the named columns, with their types and the named contract, or the one that the columns seem to
     * keep.
     */
    public TailSource draft(SourceOutline outline) {
        return db.inTx(tx -> drafting.draft(tx, outline));
    }

    /** The result of registering it; throws where it would be refused. Nothing is changed. */
    public InspectionResult inspect(TailSource source) {
        return db.inTx(tx -> {
            tx.abandon();
            return store.admit(tx, source, "inspection");
        });
    }

    public InspectionResult add(TailSource source, String actor) {
        return db.inTx(tx -> store.admit(tx, source, actor));
    }

    /** All of them, by name. */
    public List<TailSource> list() {
        return db.inTx(store::list);
    }

    /**
     * Which rows no worker can see, by source name: rows that arrive where they are not read. Sources without such rows
     * are left out.
     */
    public SortedMap<String, String> notKnown() {
        return db.inTx(store::notKnown);
    }

    public TailSource find(String name) {
        return db.inTx(tx -> demand(tx, name));
    }

    /** The workers that read it. */
    public List<SourceUse> uses(String name) {
        return db.inTx(tx -> {
            demand(tx, name);
            return store.uses(tx, name);
        });
    }

    /** Checks a registered source again: its table, its contract, and the collation of its key. */
    public SourceCheck check(String name) {
        TailSource source = find(name);
        try {
            return db.inTx(tx -> {
                InspectionResult inspected = inspection.inspect(tx, source);
                return new SourceCheck(
                        name, store.changedCollation(tx, source).stream().toList(), inspected.warnings());
            });
        } catch (OneRoofException refused) {
            return switch (refused.code()) {
                case INVALID_INPUT, NOT_FOUND, PRIVILEGE_MISSING ->
                    new SourceCheck(name, List.of(refused.message()), List.of());
                default -> throw refused;
            };
        }
    }

    /**
     * The effects that a change of the source would have on each of its cursors; throws where it would be refused.
     * Nothing is changed.
     *
     * @param to the watermark after which cursors replay that have to; null for as far back as each needs
     */
    public AlterPlan planAlter(String name, UnaryOperator<TailSource> change, @Nullable Watermark to) {
        return db.inTx(tx -> {
            TailSource before = demand(tx, name);
            return alteration.plan(tx, before, change.apply(before), to, true);
        });
    }

    /**
     * Makes a change that was shown, in one transaction. Refused when the source or its cursors have changed since, so
     * that the effects would differ. Running workers apply it with their next batch; a batch that is under way is not
     * committed.
     */
    public AlterPlan alter(AlterPlan shown, OperatorAct by) {
        return unlessAtWork(shown.before().name(), tx -> alteration.apply(tx, shown, by));
    }

    private <R> R unlessAtWork(String name, Function<Tx, R> work) {
        try {
            return db.inTx(work);
        } catch (JdbiException e) {
            if (SqlState.isHeldUp(e)) {
                throw new OneRoofException(
                        ErrorCode.CONFLICT,
                        "source: '%s' is locked by a batch that is under way; try again".formatted(name),
                        e);
            }
            throw e;
        }
    }

    /** Removes a source with its cursors and scopes. Refused while an instance holds the lease of one of them. */
    public void remove(String name, String actor, String reason) {
        unlessAtWork(name, tx -> {
            store.remove(tx, name, actor, reason);
            return true;
        });
    }

    private TailSource demand(Tx tx, String name) {
        return store.find(tx, name).orElseThrow(() -> SourceStore.unknown(name));
    }
}
