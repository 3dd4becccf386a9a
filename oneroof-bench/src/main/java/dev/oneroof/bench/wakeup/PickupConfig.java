package dev.oneroof.bench.wakeup;

/**
 * How much is measured.
 *
 * @param jobs how many single jobs are timed, each way
 */
public record PickupConfig(int jobs) {}
