package dev.oneroof.core.act;

import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A login of its own, so that the session's user is neither the superuser nor a role that it acts as. */
final class Operator implements AutoCloseable {
    private final TestDatabase database;
    private final String login;

    Operator(TestDatabase database) {
        this.database = database;
        this.login = database.name() + "_ann";
        database.run(
                "CREATE ROLE %s LOGIN PASSWORD 'secret' IN ROLE oneroof_server, workflow_admin, dot_executor, oneroof_viewer"
                        .formatted(login));
    }

    String login() {
        return login;
    }

    /** A session of the login that acts as a role. */
    Sql as(String role) throws SQLException {
        Sql sql = new Sql(DriverManager.getConnection(database.jdbcUrl(), login, "secret"));
        sql.run("SET ROLE " + role);
        return sql;
    }

    @Override
    public void close() {
        database.run("DROP ROLE " + login);
    }
}
