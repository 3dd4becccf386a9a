package dev.oneroof.bench.wakeup;

import dev.oneroof.core.worker.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** The reference: a loop over LISTEN that does nothing with what it hears. */
final class RawListener implements AutoCloseable {
    private final Connection connection;
    private final Delays delays;
    private final AtomicInteger current = new AtomicInteger(-1);
    private final Waiting done = new Waiting();
    private final Thread thread;

    RawListener(Connection connection, String channel, Delays delays) throws SQLException {
        this.connection = connection;
        this.delays = delays;
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + channel);
        }
        this.thread = Thread.ofPlatform().name("bench-raw-listener").start(this::listen);
    }

    /** What comes next is this one. */
    void expect(int event) {
        current.set(event);
    }

    private void listen() {
        try {
            PGConnection raw = connection.unwrap(PGConnection.class);
            while (!done.isStopped()) {
                PGNotification[] heard = raw.getNotifications(200);
                if (heard != null && heard.length > 0) {
                    delays.came(current.get());
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the bare listener failed", e);
        }
    }

    @Override
    public void close() throws SQLException, InterruptedException {
        done.stop();
        thread.join();
        connection.close();
    }
}
