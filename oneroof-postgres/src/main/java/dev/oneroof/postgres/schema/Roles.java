package dev.oneroof.postgres.schema;

import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Creates the roles and the schema they own, or says what a DBA must run. Both come from one list of statements.
 *
 * <p>Roles belong to the cluster and PostgreSQL has no lock that spans its databases, so two databases that are set up
 * at once collide here. Each statement is harmless when repeated; a collision just means that another got there first.
 */
final class Roles {
    private static final int TRIES = 20;

    private final SchemaConfig config;

    Roles(SchemaConfig config) {
        this.config = config;
    }

    void ensure(Connection connection) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                ensureOnce(connection);
                return;
            } catch (SQLException e) {
                if (!SqlState.isCollision(e) || attempt == TRIES) {
                    throw e;
                }
            }
        }
    }

    private void ensureOnce(Connection connection) throws SQLException {
        List<String> missing = missing(connection);
        if (!missing.isEmpty()) {
            demandRightToCreateRoles(connection, missing);
        }
        for (String role : missing) {
            execute(connection, create(role));
        }
        for (String role : List.of(config.roles().owner(), config.roles().server())) {
            if (!mayBecome(connection, role)) {
                grant(connection, role);
            }
        }
        if (!schemaExists(connection)) {
            createSchema(connection);
        }
    }

    /** The same acts as a file for somebody with the right to do them. */
    String script(String login) {
        List<String> lines = new ArrayList<>();
        lines.add("-- Roles and schema of OneRoof, for a DBA to run once in the database that OneRoof will use.");
        for (String role : config.roles().all()) {
            lines.add("""
                    DO $$ BEGIN %s; EXCEPTION WHEN duplicate_object THEN NULL; END $$;""".formatted(create(role)));
        }
        lines.add(grantStatement(config.roles().owner(), login) + ";");
        lines.add(grantStatement(config.roles().server(), login) + ";");
        lines.add(createSchemaStatement() + ";");
        return lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }

    private List<String> missing(Connection connection) throws SQLException {
        List<String> missing = new ArrayList<>(config.roles().all());
        try (PreparedStatement query =
                connection.prepareStatement("SELECT rolname FROM pg_catalog.pg_roles WHERE rolname = ANY (?)")) {
            query.setArray(1, connection.createArrayOf("text", missing.toArray()));
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    missing.remove(rows.getString(1));
                }
            }
        }
        return missing;
    }

    private void demandRightToCreateRoles(Connection connection, List<String> missing) throws SQLException {
        if (!holds(
                connection, "SELECT rolsuper OR rolcreaterole FROM pg_catalog.pg_roles WHERE rolname = current_user")) {
            throw denied(connection, "may not create roles (missing: %s)".formatted(String.join(", ", missing)), null);
        }
    }

    private OneRoofException denied(Connection connection, String what, @Nullable Throwable cause) throws SQLException {
        String login = connection.getMetaData().getUserName();
        return new OneRoofException(
                ErrorCode.PRIVILEGE_MISSING,
                "user %s %s; ask a DBA to run what 'oneroof db migrate --print-roles' prints, then try again"
                        .formatted(login, what),
                cause);
    }

    private void grant(Connection connection, String role) throws SQLException {
        // From PostgreSQL 16 on, who creates a role may administer it but not act as it without this grant to itself.
        try {
            execute(connection, grantStatement(role, connection.getMetaData().getUserName()));
        } catch (SQLException e) {
            if (SqlState.isPrivilegeMissing(e)) {
                throw denied(connection, "is no member of role %s and may not grant it".formatted(role), e);
            }
            throw e;
        }
    }

    private void createSchema(Connection connection) throws SQLException {
        try {
            execute(connection, createSchemaStatement());
        } catch (SQLException e) {
            if (SqlState.isPrivilegeMissing(e)) {
                throw denied(connection, "may not create schema %s in this database".formatted(config.schema()), e);
            }
            throw e;
        }
    }

    private boolean mayBecome(Connection connection, String role) throws SQLException {
        // MEMBER counts a membership without the SET option too, which arrived with 16.
        String privilege = connection.getMetaData().getDatabaseMajorVersion() >= 16 ? "SET" : "MEMBER";
        try (PreparedStatement query = connection.prepareStatement("SELECT pg_has_role(current_user, ?, ?)")) {
            query.setString(1, role);
            query.setString(2, privilege);
            return firstIsTrue(query);
        }
    }

    private boolean schemaExists(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = ?)")) {
            query.setString(1, config.schema().value());
            return firstIsTrue(query);
        }
    }

    private static String create(String role) {
        return "CREATE ROLE %s NOLOGIN".formatted(RoleNames.quoted(role));
    }

    private static String grantStatement(String role, String login) {
        return "GRANT %s TO %s".formatted(RoleNames.quoted(role), Identifiers.quote("user", login));
    }

    private String createSchemaStatement() {
        return "CREATE SCHEMA IF NOT EXISTS %s AUTHORIZATION %s"
                .formatted(
                        config.schema().quoted(),
                        RoleNames.quoted(config.roles().owner()));
    }

    private static boolean holds(Connection connection, String sql) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            return firstIsTrue(query);
        }
    }

    private static boolean firstIsTrue(PreparedStatement query) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
