package dev.oneroof.bench.wakeup;

/**
 * How much is measured.
 *
 * @param jobs how many single jobs are timed, each way
 * @param warmUp how many come before that count for nothing, of the worker and of the reference
 */
public record PickupConfig(int jobs, int warmUp) {
    private static final int WARM_UP = 2000;

    public PickupConfig(int jobs) {
        this(jobs, WARM_UP);
    }
}
