package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.postgres.Notifications;

/** One kind of background work. It contains only the work; {@link WorkerLoop} adds lease, beats, gates, pause and waits. */
public interface Worker {
    /** Constant for the life of the worker. */
    WorkerSpec spec();

    /** Prepares what a pass needs, once, before the first. */
    void prepare();

    /** Does one pass under the lease. Tests call this directly. */
    Pass runOnce(Lease lease);

    /** Called once after the last pass, if the worker was prepared. */
    default void end() {}

    /** Whether there is anything it could do. Asked before it claims its scope: until then it is not registered. */
    default boolean isNeeded() {
        return true;
    }

    /** Whether a wake-up of this layer may bring work. Asked after {@link #prepare}, which may find out more than the spec. */
    default boolean isWokenBy(WakeUpLayer layer) {
        return spec().wakeUps().contains(layer);
    }

    /** A wake-up of this layer has arrived: for what must not wait for a pass. Called from another thread. */
    default void onWakeUp(WakeUpLayer layer) {}

    /**
     * Polls for work on the connection that has just received a wake-up, before the loop's own thread does. It saves a tenth of
     * a millisecond. Called from another thread while the loop rests; must neither wait nor throw.
     *
     * @return whether it took all the work there was, so that the loop need not poll before its next time
     */
    default boolean pollNow(Notifications connection) {
        return false;
    }

    /** Called in place of a pass while an operator has paused the scope. */
    default void onPause(Lease lease, String reason) {}
}
