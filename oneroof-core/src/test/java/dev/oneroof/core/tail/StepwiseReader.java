package dev.oneroof.core.tail;

import java.sql.SQLException;

/** A reader whose three steps (bound, holders, rows) come when a test says so. */
interface StepwiseReader extends AutoCloseable {
    /** Makes ready for another order. */
    void begin() throws SQLException;

    void step() throws SQLException;

    /** Whether it calls the range up to its bound settled. */
    boolean hasSettled();

    /** False when rows have come to the settled range since it was read. */
    boolean settledRangeIsUnchanged() throws SQLException;

    @Override
    void close() throws SQLException;
}
