package dev.oneroof.core.tabletail;

import dev.oneroof.core.finding.FindingStore;
import dev.oneroof.core.lease.LeaseStore;

/** The tables that a tail works on. */
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
