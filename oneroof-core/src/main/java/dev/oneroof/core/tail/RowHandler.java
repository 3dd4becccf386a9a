package dev.oneroof.core.tail;

import dev.oneroof.postgres.UserTx;

/** What a worker does with one row, in the transaction that also moves the cursor. */
@FunctionalInterface
public interface RowHandler {
    /** May be called again for the same row when the transaction did not commit. An exception fails the batch. */
    void handle(UserTx tx, Row row) throws Exception;
}
