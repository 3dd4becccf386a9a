package dev.oneroof.core.feature;

import dev.oneroof.core.job.JobHandlerSpec;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.core.worker.WorkerSet;
import java.util.List;
import java.util.Optional;

/**
 * A part of the product. It contributes workers, job kinds, the rows it needs, and checks; adding one changes no class of
 * core. Each method is called once per instance, before the start.
 */
public interface Feature {
    /** In messages and logs: lower case, one word. */
    String name();

    /** The rows that must be there before it starts; its migrations seed them. */
    default Seeds seeds() {
        return Seeds.NONE;
    }

    /** Workers that run for as long as the instance does. */
    default List<Worker> workers(FeatureContext context) {
        return List.of();
    }

    /** Sets of workers that change while the instance runs. */
    default List<WorkerSet> workerSets(FeatureContext context) {
        return List.of();
    }

    /** Job kinds with their handlers. */
    default List<JobHandlerSpec> jobs(FeatureContext context) {
        return List.of();
    }

    /** Further checks of the doctor. */
    default List<DoctorCheck> checks() {
        return List.of();
    }

    /**
     * A worker for one run on request, also one that does not run in a started instance by itself. By default one of
     * {@link #workers} or of {@link #workerSets}.
     */
    default Optional<Worker> worker(FeatureContext context, Scope scope) {
        Optional<Worker> fixed = workers(context).stream()
                .filter(worker -> worker.spec().scope().equals(scope))
                .findFirst();
        return fixed.or(() -> workerSets(context).stream()
                .flatMap(set -> set.members().stream())
                .filter(member -> member.scope().equals(scope))
                .map(WorkerSet.Member::create)
                .findFirst());
    }
}
