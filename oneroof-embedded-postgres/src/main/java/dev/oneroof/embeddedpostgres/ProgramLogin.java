package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.postgresql.PGConnection;

/**
 * The login that programs and people use. It has no rights but those of the roles that it is given later, and may look at the
 * statistics of all sessions, which the checks need. The superuser is for making databases, roles and schemas.
 */
final class ProgramLogin {
    static final String USER = "oneroof";

    private static final String FIND = "SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = 'oneroof'";
    private static final String CREATE = "CREATE ROLE oneroof";
    // One that is there already may have been made by hand, with any rights.
    private static final String LIMIT = """
            ALTER ROLE oneroof LOGIN INHERIT NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS;
            GRANT pg_read_all_stats TO oneroof
            """;

    private final Home home;
    private final ServerAddress admin;

    ProgramLogin(Home home, ServerAddress admin) {
        this.home = home;
        this.admin = admin;
    }

    /** Makes it where it is missing. The file is written last: where it is there, the server knows the password. */
    ServerAddress ensure() throws IOException {
        DatabaseAddress server =
                new DatabaseAddress(admin.host(), admin.port(), "postgres", admin.user(), admin.password(), Map.of());
        try (Connection connection = Connections.plain(server, "oneroof").getConnection()) {
            boolean isMade = find(connection);
            if (!isMade || !Files.exists(home.password())) {
                make(connection, isMade);
            }
        } catch (SQLException e) {
            throw Connections.explained(server, e);
        }
        return ServerAccess.program(home, admin.port());
    }

    private static boolean find(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(FIND)) {
            return found.next();
        }
    }

    private void make(Connection connection, boolean isMade) throws SQLException, IOException {
        String password = Files.exists(home.password())
                ? Files.readString(home.password()).strip()
                : ServerAccess.newPassword();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            if (!isMade) {
                statement.execute(CREATE);
            }
            statement.execute(LIMIT);
        }
        // Not in a statement's text, which the server may log.
        connection.unwrap(PGConnection.class).alterUserPassword(USER, password.toCharArray(), "scram-sha-256");
        connection.commit();
        DurableFile.write(home.password(), password);
    }
}
