package dev.oneroof.core.schedule;

import dev.oneroof.core.job.Enqueued;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A due schedule that was fired.
 *
 * @param enqueued one for each fired time
 */
record FireResult(String name, FirePlan plan, List<Enqueued> enqueued) {
    int jobs() {
        return Math.toIntExact(enqueued.stream().filter(Enqueued::isNew).count());
    }

    /** Times at which the previous job was still alive. */
    int overlapped() {
        return enqueued.size() - jobs();
    }

    @Nullable
    Instant last() {
        return plan.fired().isEmpty() ? null : plan.fired().getLast();
    }

    @Nullable
    UUID lastJob() {
        return enqueued.isEmpty() ? null : enqueued.getLast().id().value();
    }
}
