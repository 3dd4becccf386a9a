package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.Page;
import dev.oneroof.postgres.UserTx;

/** What a worker does with the rows it is handed. */
@FunctionalInterface
public interface BatchEffect {
    /**
     * Reads the page and applies the effect, in the transaction that also moves the cursor: both happen or neither.
     * May be called again for the same rows when that transaction did not commit, and for further pages in the same one
     * while there is much to catch up with. The statements of the effect go to the server as they are written.
     */
    Batch apply(UserTx tx, Page page);
}
