package dev.oneroof.bench.jobspeed;

/**
 * How much is measured.
 *
 * @param jobs in one drain
 * @param rounds how often reference and candidate take turns
 * @param kept how many ended jobs are there when drains beside them are measured
 * @param before how many jobs are done under an open snapshot before the drain that is measured
 * @param front how many of another kind, and how many for later, are in front
 */
public record JobsConfig(int jobs, int rounds, int kept, int before, int front) {}
