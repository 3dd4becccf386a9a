package dev.oneroof.postgres.schema;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections that act as a role from their first statement on. */
record ActingAs(DataSource dataSource, String role) implements DataSource {
    @Override
    public Connection getConnection() throws SQLException {
        return acting(dataSource.getConnection());
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return acting(dataSource.getConnection(user, password));
    }

    private Connection acting(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET ROLE " + RoleNames.quoted(role));
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return dataSource.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        dataSource.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        dataSource.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return dataSource.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger(ActingAs.class.getName());
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return dataSource.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return dataSource.isWrapperFor(type);
    }
}
