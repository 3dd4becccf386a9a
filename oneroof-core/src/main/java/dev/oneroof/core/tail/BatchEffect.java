package dev.oneroof.core.tail;

import dev.oneroof.core.tail.read.Page;
import dev.oneroof.postgres.UserTx;

/** The effect of a worker on the rows of a page. */
@FunctionalInterface
public interface BatchEffect {
    /**
     * Reads the page and applies the effect, in the transaction that also moves the cursor: both happen or neither. May
     * be called again for the same rows when that transaction did not commit, and for further pages in the same one
     * during a backlog. The statements of the effect are sent to the server as they are written.
     */
    Batch apply(UserTx tx, Page page);
}
