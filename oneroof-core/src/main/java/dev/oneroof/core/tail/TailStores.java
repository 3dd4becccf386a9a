package dev.oneroof.core.tail;

import dev.oneroof.core.finding.FindingStore;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.tail.read.BoundStore;
import dev.oneroof.core.tail.read.StretchStore;
import dev.oneroof.core.tail.source.SourceStore;

/** The stores that a tail uses. */
public record TailStores(
        SourceStore sources,
        CursorStore cursors,
        StretchStore stretch,
        BoundStore bounds,
        PendingStore pendings,
        ContractStore contracts,
        FindingStore findings,
        LeaseStore leases) {
    public static TailStores standard() {
        return new TailStores(
                new SourceStore(),
                new CursorStore(),
                new StretchStore(),
                new BoundStore(),
                new PendingStore(),
                new ContractStore(),
                new FindingStore(),
                new LeaseStore());
    }
}
