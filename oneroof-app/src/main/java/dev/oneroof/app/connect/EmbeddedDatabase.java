package dev.oneroof.app.connect;

import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.Identifiers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The database that OneRoof makes in its embedded server. The program's login may make schemas and tables of its own in it, as
 * the demo does; OneRoof's tables are the owner's.
 */
record EmbeddedDatabase(DatabaseAddress maintenance, DatabaseAddress admin, String login) {
    private static final String STATE =
            "SELECT has_database_privilege(?, datname, 'CREATE') FROM pg_catalog.pg_database WHERE datname = ?";

    private enum State {
        ABSENT,
        MADE,
        READY
    }

    void ensure() {
        try {
            State state = state();
            if (state == State.ABSENT) {
                create();
            }
            if (state != State.READY) {
                grant();
            }
        } catch (SQLException e) {
            throw Connections.explained(maintenance, e);
        }
    }

    private State state() throws SQLException {
        try (Connection connection = Connections.plain(maintenance, "oneroof").getConnection();
                PreparedStatement query = connection.prepareStatement(STATE)) {
            query.setString(1, login);
            query.setString(2, admin.database());
            try (ResultSet found = query.executeQuery()) {
                return !found.next() ? State.ABSENT : found.getBoolean(1) ? State.READY : State.MADE;
            }
        }
    }

    private void create() throws SQLException {
        try (Connection connection = Connections.plain(maintenance, "oneroof").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + Identifiers.quote("database", admin.database()));
        }
    }

    private void grant() throws SQLException {
        try (Connection connection = Connections.plain(admin, "oneroof").getConnection();
                Statement statement = connection.createStatement()) {
            // In one transaction: the grant on the database says that all is done.
            connection.setAutoCommit(false);
            String to = Identifiers.quote("user", login);
            statement.execute("GRANT USAGE, CREATE ON SCHEMA public TO " + to);
            statement.execute(
                    "GRANT CREATE ON DATABASE %s TO %s".formatted(Identifiers.quote("database", admin.database()), to));
            connection.commit();
        }
    }
}
