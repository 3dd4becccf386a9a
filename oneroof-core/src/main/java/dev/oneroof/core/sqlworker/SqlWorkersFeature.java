package dev.oneroof.core.sqlworker;

import dev.oneroof.core.feature.Feature;
import dev.oneroof.core.feature.FeatureContext;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.WorkerSet;
import java.util.List;

/** Runs the workers that are rows. A row that is added, changed or removed takes effect within seconds in every instance. */
public final class SqlWorkersFeature implements Feature {
    @Override
    public String name() {
        return "sql_workers";
    }

    @Override
    public List<WorkerSet> workerSets(FeatureContext context) {
        return List.of(new DeclaredWorkers(context));
    }

    private record DeclaredWorkers(FeatureContext context) implements WorkerSet {
        private static final SqlWorkerStore STORE = new SqlWorkerStore();

        @Override
        public List<Member> members() {
            return context.database().inTx(STORE::list).stream()
                    .map(row -> new Member(row.scope(), row, () -> DeclaredWorker.of(context, row)))
                    .toList();
        }

        @Override
        public boolean removed(Scope scope) {
            return context.database().inTx(tx -> STORE.forgetScope(tx, scope));
        }
    }
}
