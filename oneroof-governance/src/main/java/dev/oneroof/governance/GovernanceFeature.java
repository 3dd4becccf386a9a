package dev.oneroof.governance;

import dev.oneroof.core.feature.Feature;
import dev.oneroof.core.feature.FeatureContext;
import dev.oneroof.core.feature.Seeds;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.CursorStore;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSet;
import dev.oneroof.governance.registrybackfill.BackfillSweep;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Governance: the backfill sweep, over each source that it has a cursor on. */
public final class GovernanceFeature implements Feature {
    @Override
    public String name() {
        return "governance";
    }

    @Override
    public Seeds seeds() {
        return new Seeds(Set.of(BackfillSweep.GATE), Set.of(), Set.of());
    }

    @Override
    public List<WorkerSet> workerSets(FeatureContext context) {
        return List.of(() -> context.database().inTx(new CursorStore()::list).stream()
                .map(cursor -> cursor.scope())
                .filter(scope -> scope.worker().equals(BackfillSweep.WORKER))
                .map(scope -> new WorkerSet.Member(
                        scope, BackfillSweep.WORKER, () -> context.tail(BackfillSweep.over(scope.source()))))
                .toList());
    }

    /** The sweep may be run over any source; its first run makes the cursor. */
    @Override
    public Optional<Worker> worker(FeatureContext context, Scope scope) {
        return scope.worker().equals(BackfillSweep.WORKER)
                ? Optional.of(context.tail(BackfillSweep.over(scope.source())))
                : Optional.empty();
    }
}
