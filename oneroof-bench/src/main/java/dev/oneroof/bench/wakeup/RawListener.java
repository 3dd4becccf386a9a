package dev.oneroof.bench.wakeup;

import dev.oneroof.core.worker.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** The reference: a loop over LISTEN that does nothing with what it hears. */
final class RawListener implements AutoCloseable {
    private final Connection connection;
    private volatile @Nullable Expected expected;
    private final Waiting done = new Waiting();
    private final Thread thread;

    /** What comes next, and where that is noted. */
    private record Expected(Delays delays, int event) {}

    RawListener(Connection connection, String channel) throws SQLException {
        this.connection = connection;
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + channel);
        }
        this.thread = Thread.ofPlatform().name("bench-raw-listener").start(this::listen);
    }

    /** What comes next is this one. */
    void expect(Delays delays, int event) {
        expected = new Expected(delays, event);
    }

    private void listen() {
        try {
            PGConnection raw = connection.unwrap(PGConnection.class);
            while (!done.isStopped()) {
                PGNotification[] heard = raw.getNotifications(200);
                Expected now = expected;
                if (heard != null && heard.length > 0 && now != null) {
                    now.delays().came(now.event());
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
