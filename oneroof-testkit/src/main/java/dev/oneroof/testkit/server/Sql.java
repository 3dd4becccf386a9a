package dev.oneroof.testkit.server;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Plain SQL on one connection, without JDBC's ceremony. Closing it closes the connection. */
public final class Sql implements AutoCloseable {
    private final Connection connection;

    public Sql(Connection connection) {
        this.connection = connection;
    }

    /** Runs one statement, or several without parameters. */
    public void run(String statement, @Nullable Object... parameters) {
        try (PreparedStatement prepared = prepare(statement, parameters)) {
            prepared.execute();
        } catch (SQLException e) {
            throw failed(statement, e);
        }
    }

    /** The rows of a query. */
    public <T> List<T> list(Row<T> row, String query, @Nullable Object... parameters) {
        try (PreparedStatement prepared = prepare(query, parameters);
                ResultSet result = prepared.executeQuery()) {
            List<T> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(row.read(result));
            }
            return rows;
        } catch (SQLException e) {
            throw failed(query, e);
        }
    }

    /** The only row of a query; more or fewer are an error. */
    public <T> T one(Row<T> row, String query, @Nullable Object... parameters) {
        List<T> rows = list(row, query, parameters);
        if (rows.size() != 1) {
            throw new OneRoofException(ErrorCode.FAILED, "Expected one row, got " + rows.size() + ": " + query);
        }
        return rows.getFirst();
    }

    /** The only column of the only row, which is not null. */
    public <T> T value(Class<T> type, String query, @Nullable Object... parameters) {
        return one(row -> Objects.requireNonNull(row.getObject(1, type), query), query, parameters);
    }

    /** A name, quoted so that any text is safe as an identifier. */
    public static String identifier(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw failed("close", e);
        }
    }

    Connection connection() {
        return connection;
    }

    private PreparedStatement prepare(String statement, @Nullable Object... parameters) throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(statement);
        for (int i = 0; i < parameters.length; i++) {
            prepared.setObject(i + 1, parameters[i]);
        }
        return prepared;
    }

    private static OneRoofException failed(String statement, SQLException cause) {
        return new OneRoofException(
                ErrorCode.FAILED,
                cause.getMessage() + " (" + cause.getSQLState() + ") in: " + statement.strip(),
                cause);
    }

    /** Reads one row; must not move to another. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }
}
