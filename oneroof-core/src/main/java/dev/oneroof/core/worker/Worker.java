package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.postgres.Notifications;
import org.jspecify.annotations.Nullable;

/** One kind of background work. It contains only the work; {@link WorkerLoop} adds all the rest. */
public interface Worker {
    Scope scope();

    /** The gate that must be open for a pass to run; null where there is none. */
    @Nullable
    String gate();

    /** Whether something of this layer may give it work, as far as is known after {@link #prepare}. */
    default boolean isWokenBy(String layer) {
        return false;
    }

    /** Something of this layer has come by: for what need not wait for a pass. Called from another thread. */
    default void heard(String layer) {}

    /**
     * Looks for work on the connection that has just heard of some, before its loop is woken and does the same. For what is
     * worth a tenth of a millisecond. Called from another thread while the loop rests; must neither wait nor throw.
     *
     * @return whether all there was is taken, so that the loop need not look before its next time
     */
    default boolean lookAtOnce(Notifications here) {
        return false;
    }

    /** Whether it rests while the server is under load. */
    default boolean yieldsToLoad() {
        return true;
    }

    /** Whether its scope is nobody's concern once the instance has ended in good order. */
    default boolean leavesNoScope() {
        return false;
    }

    /** Whether it goes on in an instance that is drained, unless another instance would do it. */
    default boolean staysOnWatch() {
        return false;
    }

    /** Whether an operator has paused it. Asked while it rests for long, so that it is told soon. */
    default boolean isPaused() {
        return false;
    }

    /** Whether there is anything it could do. Asked before it takes its scope: until then nobody need hear of it. */
    default boolean isNeeded() {
        return true;
    }

    /** Makes ready what a pass needs, once, before the first. */
    void prepare();

    /** Called once when it will make no more passes, if it was made ready. */
    default void end() {}

    /** Does one pass under the lease. Tests call this directly. */
    Pass runOnce(Lease lease);
}
