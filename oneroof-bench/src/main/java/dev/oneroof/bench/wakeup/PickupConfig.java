package dev.oneroof.bench.wakeup;

/**
 * How much is measured.
 *
 * @param turns how often each has its turn
 * @param jobsInTurn how many single jobs are timed in a turn, each way
 * @param warmUp how many come before in the first turn and count for nothing, of the worker and of the reference; a fifth of
 *     that in the others
 */
public record PickupConfig(int turns, int jobsInTurn, int warmUp) {
    private static final int TURNS = 5;
    private static final int WARM_UP = 2000;

    /** @param jobs how many in all, each way */
    public PickupConfig(int jobs) {
        this(TURNS, Math.max(1, jobs / TURNS), WARM_UP);
    }

    int jobs() {
        return turns * jobsInTurn;
    }
}
