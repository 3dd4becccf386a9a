package dev.oneroof.core.tail;

import dev.oneroof.database.Tx;

/** What a worker does with the rows it is handed. */
@FunctionalInterface
public interface BatchEffect {
    /**
     * Reads the page and applies the effect, in the transaction that also moves the cursor: both happen or neither.
     * May be called again for the same rows when that transaction did not commit.
     */
    Batch apply(Tx tx, Page page);
}
