package dev.oneroof.testkit.server;

import java.sql.Connection;
import java.sql.SQLException;

/** A connection that the testkit handed out, with the stack that asked for it. */
public record OpenConnection(Connection connection, int pid, Throwable openedAt) {
    boolean open() {
        try {
            return !connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // The server has ended it already; there is nothing left to end.
        }
    }
}
