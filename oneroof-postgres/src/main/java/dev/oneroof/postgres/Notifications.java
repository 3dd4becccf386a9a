package dev.oneroof.postgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** One connection, held for as long as this is open, that hears what is sent to its channels. For one thread. */
public final class Notifications implements AutoCloseable {
    private static final int LONGEST_STATEMENT_MILLIS = 2000;

    private final Handle handle;
    private final SchemaName schema;
    private final boolean autoCommit;
    private boolean sound = true;

    /** Outside of any transaction: in one, LISTEN waits for its end, and it would hold everybody's barrier. */
    Notifications(Handle handle, SchemaName schema) {
        this.handle = handle;
        this.schema = schema;
        try {
            this.autoCommit = handle.getConnection().getAutoCommit();
            handle.getConnection().setAutoCommit(true);
        } catch (SQLException e) {
            handle.close();
            throw failed(e);
        }
    }

    /** What was sent, and where to. */
    public record Heard(String channel, String payload) {}

    public void listen(String channel) {
        run("LISTEN " + Identifiers.quote("channel", channel));
    }

    /**
     * Waits until something is heard, for no longer than the time, and returns all of it. The driver ends every wait with a
     * look for more, which takes a millisecond unless the connection was made with {@link QuickLooks}.
     */
    public List<Heard> await(Duration time) {
        try {
            PGConnection connection = handle.getConnection().unwrap(PGConnection.class);
            PGNotification[] heard = connection.getNotifications(Math.toIntExact(Math.max(1, time.toMillis())));
            if (heard == null) {
                return List.of();
            }
            List<Heard> all = new ArrayList<>(heard.length);
            for (PGNotification one : heard) {
                all.add(new Heard(one.getName(), one.getParameter()));
            }
            return all;
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /**
     * Runs a single statement, which commits by itself, on the connection that listens: nothing is faster to be had. It must
     * be a short one. Where it is not answered the connection is broken from then on.
     */
    public <R> R inStatement(Function<Tx, R> work) {
        try {
            int before = handle.getConnection().getNetworkTimeout();
            handle.getConnection().setNetworkTimeout(Runnable::run, LONGEST_STATEMENT_MILLIS);
            try {
                return work.apply(new Tx(handle, schema));
            } finally {
                handle.getConnection().setNetworkTimeout(Runnable::run, before);
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private void run(String statement) {
        try (Statement made = handle.getConnection().createStatement()) {
            made.execute(statement);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private OneRoofException failed(SQLException e) {
        sound = false;
        return new OneRoofException(
                ErrorCode.DATABASE_UNREACHABLE, "no more notifications are heard: " + e.getMessage(), e);
    }

    /** The connection says nothing any more and is of no use to anybody: it is not given back but cut. */
    public void discard() {
        sound = false;
    }

    @Override
    public void close() {
        if (sound) {
            try {
                run("UNLISTEN *");
                handle.getConnection().setAutoCommit(autoCommit);
            } catch (OneRoofException | SQLException e) {
                sound = false;
            }
        }
        try (handle) {
            if (!sound) {
                handle.getConnection().abort(Runnable::run);
            }
        } catch (SQLException | RuntimeException e) {
            // It was broken before.
            sound = false;
        }
    }
}
