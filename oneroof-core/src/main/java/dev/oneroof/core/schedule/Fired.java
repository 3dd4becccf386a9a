package dev.oneroof.core.schedule;

import dev.oneroof.core.job.Enqueued;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of a schedule whose time had come.
 *
 * @param enqueued one for each time that was fired
 */
record Fired(String name, DueTimes times, List<Enqueued> enqueued) {
    int jobs() {
        return Math.toIntExact(enqueued.stream().filter(Enqueued::isNew).count());
    }

    /** Times that found the job before still alive. */
    int overlapped() {
        return enqueued.size() - jobs();
    }

    @Nullable
    Instant last() {
        return times.fired().isEmpty() ? null : times.fired().getLast();
    }

    @Nullable
    UUID lastJob() {
        return enqueued.isEmpty() ? null : enqueued.getLast().id().value();
    }
}
