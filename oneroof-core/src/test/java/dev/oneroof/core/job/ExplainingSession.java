package dev.oneroof.core.job;

import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * A session that tells how its statements were run, and those within the functions they call. Each runs in a transaction that is
 * rolled back, so that the next finds what it found.
 */
final class ExplainingSession implements AutoCloseable {
    private static final String EXPLAIN = """
            LOAD 'auto_explain';
            SET auto_explain.log_min_duration = 0;
            SET auto_explain.log_nested_statements = on;
            SET auto_explain.log_analyze = on;
            SET auto_explain.log_timing = off;
            SET auto_explain.log_buffers = on;
            SET auto_explain.log_format = json;
            """;

    private final Connection connection;

    ExplainingSession(TestDatabase database) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", database.address().user());
        properties.setProperty("password", database.address().password());
        // What is sent otherwise ends with the next statement, and tells its plan only then.
        properties.setProperty("preferQueryMode", "simple");
        connection = DriverManager.getConnection(database.jdbcUrl(), properties);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(EXPLAIN);
        }
        connection.commit();
    }

    /** For the rest of the session. */
    void keep(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        connection.commit();
    }

    /** Whether it went through; what it was to do is undone. */
    boolean tries(String given, String call) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(given);
            statement.execute(call);
            return true;
        } catch (SQLException e) {
            return false;
        } finally {
            connection.rollback();
        }
    }

    /** The outermost comes last. */
    List<Explained> explain(String call) throws SQLException {
        List<Explained> all = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL client_min_messages = log");
            statement.clearWarnings();
            statement.execute(call);
            for (SQLWarning told = statement.getWarnings(); told != null; told = told.getNextWarning()) {
                String message = String.valueOf(told.getMessage());
                int plan = message.indexOf("plan:\n");
                if (plan >= 0) {
                    all.add(Explained.of(message.substring(plan + "plan:\n".length())));
                }
            }
        } finally {
            connection.rollback();
        }
        return all;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
