package dev.oneroof.testkit.server;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.ZoneId;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens connections in the test's time zone and remembers where each was opened. */
final class TrackedDataSource implements DataSource {
    private final Login login;
    private final @Nullable SessionPool pool;
    private final ZoneId zone;
    private final List<OpenConnection> opened;

    /** @param pool where sessions are used again; without it each connection is a new one */
    TrackedDataSource(Login login, @Nullable SessionPool pool, ZoneId zone, List<OpenConnection> opened) {
        this.login = login;
        this.pool = pool;
        this.zone = zone;
        this.opened = opened;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return tracked(pool == null ? login.connect() : pool.take());
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return tracked(login.connect(user, password));
    }

    private Connection tracked(Connection connection) throws SQLException {
        opened.removeIf(earlier -> !earlier.open());
        Throwable where =
                new Throwable("opened by thread " + Thread.currentThread().getName());
        opened.add(new OpenConnection(connection, prepared(connection), where));
        return connection;
    }

    /** Sets the zone after connecting, as the driver's word at start-up beats every default, and tells the pid. */
    private int prepared(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT pg_backend_pid(), set_config('TimeZone', ?, false)")) {
            statement.setString(1, zone.getId());
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                return result.getInt(1);
            }
        }
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (!isWrapperFor(type)) {
            throw new SQLException("Not a " + type.getName());
        }
        return type.cast(this);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
