package dev.oneroof.testkit.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGPooledConnection;

/**
 * Sessions that are used again: a new one costs the server more than most statements of a test do. One that comes back is
 * made like new, so nobody holds a lock, listens or keeps a setting through it. Has no threads, and nobody waits: who
 * finds none idle gets a new one.
 */
final class SessionPool {
    private static final int MOST_IDLE = 8;
    private static final int ANSWER_SECONDS = 5;

    private final Login login;
    private final Deque<Session> idle = new ConcurrentLinkedDeque<>();

    SessionPool(Login login) {
        this.login = login;
    }

    Connection take() throws SQLException {
        for (Session session = idle.pollLast(); session != null; session = idle.pollLast()) {
            Connection again = session.again();
            if (again != null) {
                return again;
            }
        }
        return new Session(login.connect()).users.getConnection();
    }

    /** Ends those that nobody uses. */
    void endIdle() {
        for (Session session = idle.pollLast(); session != null; session = idle.pollLast()) {
            session.end();
        }
    }

    /** One session of the server; its users get connections on it, one after the other. */
    private final class Session implements ConnectionEventListener {
        private final Connection session;
        private final PGPooledConnection users;

        Session(Connection session) {
            this.session = session;
            this.users = new PGPooledConnection(session, true);
            users.addConnectionEventListener(this);
        }

        /** Null where it has ended meanwhile: the server was stopped, or somebody ended the session. */
        @Nullable
        Connection again() throws SQLException {
            if (session.isValid(ANSWER_SECONDS)) {
                return users.getConnection();
            }
            end();
            return null;
        }

        void end() {
            try {
                session.close();
            } catch (SQLException e) {
                // The server has ended it already; there is nothing left to end.
            }
        }

        @Override
        public void connectionClosed(ConnectionEvent event) {
            if (idle.size() < MOST_IDLE && isLikeNew()) {
                idle.addLast(this);
            } else {
                end();
            }
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
            // It is found out when it comes back.
        }

        private boolean isLikeNew() {
            try {
                session.setAutoCommit(true);
                session.setNetworkTimeout(Runnable::run, 0);
                try (Statement statement = session.createStatement()) {
                    // One that a test began by hand is unknown to the driver.
                    statement.execute("ROLLBACK");
                    statement.execute("RESET SESSION AUTHORIZATION; RESET ALL; UNLISTEN *; DISCARD TEMP;"
                            + " DISCARD SEQUENCES; SELECT pg_advisory_unlock_all()");
                }
                return true;
            } catch (SQLException e) {
                return false;
            }
        }
    }
}
