package dev.oneroof.bench.jobspeed;

import java.util.Set;

/**
 * How much is measured.
 *
 * @param jobs in one drain
 * @param rounds how often reference and candidate take turns
 * @param kept how many ended jobs are there when drains beside them are measured
 * @param before how many jobs are done under an open snapshot before the drain that is measured
 * @param front how many of another kind, and how many for later, are in front
 * @param parts what is measured, in this order
 */
public record JobsConfig(int jobs, int rounds, int kept, int before, int front, Set<Part> parts) {
    /** Something to measure. */
    public enum Part {
        DRAIN,
        ENQUEUE,
        FRONT,
        SNAPSHOT,
        KEPT
    }
}
