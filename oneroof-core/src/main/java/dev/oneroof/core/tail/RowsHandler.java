package dev.oneroof.core.tail;

import dev.oneroof.postgres.UserTx;
import java.util.List;

/** What a worker does with the rows of one batch, in the transaction that also moves the cursor. */
@FunctionalInterface
public interface RowsHandler {
    /**
     * The rows are never none, stand in the order of their keys, and can be read until this returns. May be called again
     * for the same rows when the transaction did not commit, and for the next rows in the same one while there is much to
     * catch up with. What it throws fails the batch.
     */
    void handle(UserTx tx, List<Row> rows) throws Exception;
}
