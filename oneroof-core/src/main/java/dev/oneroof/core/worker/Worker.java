package dev.oneroof.core.worker;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import org.jspecify.annotations.Nullable;

/** One kind of background work. It contains only the work; {@link WorkerLoop} adds all the rest. */
public interface Worker {
    Scope scope();

    /** The gate that must be open for a pass to run; null where there is none. */
    @Nullable
    String gate();

    /** Makes ready what a pass needs, once, before the first. */
    void prepare();

    /** Does one pass under the lease. Tests call this directly. */
    Pass runOnce(Lease lease);
}
