package dev.oneroof.core.liveness;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whoever beats: a worker on a source, an instance, or an executor in another language.
 *
 * @param leaseOwner the instance that holds it; null while nobody does
 * @param notKnown which rows of its source its state cannot stand for; null where there are none
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
     * Something that happened to it: registered, deregistered, fresh_to_stale, escalated or stale_to_fresh; or taken_over,
     * from an owner that had not given it back.
     *
     * @param actor null where nobody wrote down who it was
     */
    public record Transition(
            String at,
            long ageSeconds,
            String transition,
            @Nullable String severity,
            @Nullable Double gapSeconds,
            @Nullable String actor) {}

    /** With its story, the latest first. */
    public record Story(Executor executor, List<Transition> transitions) {}
}
