package dev.oneroof.core.liveness;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process or worker that beats: a worker on a source, an instance, or an executor in another language.
 *
 * @param leaseOwner the instance that holds it; null while none does
 * @param notKnown which rows of its source its state does not cover; null where there are none
 */
public record Executor(
        String name,
        String kind,
        String state,
        String reason,
        String lastTickAt,
        long ageSeconds,
        long ticksTotal,
        long cadenceSeconds,
        long thresholdSeconds,
        @Nullable String leaseOwner,
        @Nullable Long leaseEpoch,
        @Nullable String leaseUntil,
        String registeredBy,
        @Nullable String notKnown) {

    /**
     * An entry of its history: registered, deregistered, fresh_to_stale, escalated or stale_to_fresh; or taken_over, from an
     * owner that had not released it.
     *
     * @param actor null where none was recorded
     */
    public record Transition(
            String at,
            long ageSeconds,
            String transition,
            @Nullable String severity,
            @Nullable Double gapSeconds,
            @Nullable String actor) {}

    /** With its transitions, the latest first. */
    public record History(Executor executor, List<Transition> transitions) {}
}
