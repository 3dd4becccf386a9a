package dev.oneroof.core.tail;

import dev.oneroof.postgres.UserTx;
import java.util.List;

/** What a worker does with the rows of one batch, in the transaction that also moves the cursor. */
@FunctionalInterface
public interface RowsHandler {
    /**
     * There is at least one row, the rows are in the order of their keys, and they can be read until this method
     * returns. May be called again for the same rows when the transaction did not commit, and for the next rows in the
     * same one during a backlog. An exception fails the batch.
     */
    void handle(UserTx tx, List<Row> rows) throws Exception;
}
