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
 *
 * <p>A role of the wanted name may be in the cluster for another purpose. Its members would get OneRoof's rights, and OneRoof
 * theirs. So each role that OneRoof makes carries a comment that says so, made in the same statement, and one without it is
 * refused unless the caller adopts it.
 */
final class Roles {
    private static final int TRIES = 20;

    private final SchemaConfig config;
    private final boolean adopts;
    private final @Nullable String admitted;

    Roles(SchemaConfig config) {
        this(config, false, null);
    }

    private Roles(SchemaConfig config, boolean adopts, @Nullable String admitted) {
        this.config = config;
        this.adopts = adopts;
        this.admitted = admitted;
    }

    Roles adopting() {
        return new Roles(config, true, admitted);
    }

    Roles admitting(String login) {
        return new Roles(config, adopts, login);
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
        List<FoundRole> found = FoundRole.find(connection, config.roles().all());
        List<FoundRole> foreign = found.stream().filter(role -> !role.isOurs()).toList();
        refuse(foreign);
        List<String> missing = new ArrayList<>(config.roles().all());
        found.forEach(role -> missing.remove(role.name()));
        if (!missing.isEmpty()) {
            demandRightToCreateRoles(connection, missing);
        }
        for (FoundRole role : foreign) {
            adopt(connection, role);
        }
        for (String role : missing) {
            execute(connection, RoleScript.create(role));
        }
        for (String role : List.of(config.roles().owner(), config.roles().server())) {
            if (!mayBecome(connection, role)) {
                grant(connection, role);
            }
        }
        if (admitted != null) {
            admit(connection, admitted);
        }
        if (!schemaExists(connection)) {
            createSchema(connection);
        }
    }

    /** The same acts as a file for somebody with the right to do them. */
    String script(String login) {
        List<String> lines = new ArrayList<>();
        lines.add("-- Roles and schema of OneRoof, for a DBA to run once in the database that OneRoof will use.");
        lines.add("BEGIN;");
        for (String role : config.roles().all()) {
            lines.add(RoleScript.ensure(role, adopts));
        }
        lines.add(grantStatement(config.roles().owner(), login) + ";");
        lines.add(grantStatement(config.roles().server(), login) + ";");
        lines.add(createSchemaStatement() + ";");
        lines.add("COMMIT;");
        return lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }

    /** Before anything is made. What OneRoof's functions do they do as the owner, so no role may have rights beyond its own. */
    private void refuse(List<FoundRole> foreign) {
        List<FoundRole> refused =
                adopts ? foreign.stream().filter(FoundRole::isTooPowerful).toList() : foreign;
        if (refused.isEmpty()) {
            return;
        }
        String roles = refused.stream().map(FoundRole::toString).collect(Collectors.joining("; "));
        throw new OneRoofException(
                ErrorCode.CONFLICT,
                adopts
                        ? "%s: not adopted with such rights; take them away with ALTER ROLE, or set db.role_prefix (ONEROOF_DB_ROLE_PREFIX)"
                                .formatted(roles)
                        : ("%s: in this cluster already and not made by OneRoof, which would give its members OneRoof's rights;"
                                        + " set db.role_prefix (ONEROOF_DB_ROLE_PREFIX) for roles of other names, or take these"
                                        + " with 'oneroof db migrate --adopt-roles'")
                                .formatted(roles));
    }

    private void adopt(Connection connection, FoundRole role) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(RoleScript.ADOPTION)) {
            query.setString(1, role.name());
            query.setString(2, role.comment());
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                execute(connection, rows.getString(1));
            }
        } catch (SQLException e) {
            if (SqlState.isPrivilegeMissing(e)) {
                throw denied(connection, "may not comment on role %s, which adopts it".formatted(role.name()), e);
            }
            throw e;
        }
    }

    /** What the running program does, and what an operator does with psql. */
    private void admit(Connection connection, String login) throws SQLException {
        for (String role : List.of(config.roles().server(), config.roles().admin())) {
            if (!isMember(connection, login, role)) {
                execute(connection, grantStatement(role, login));
            }
        }
    }

    private static boolean isMember(Connection connection, String login, String role) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT pg_has_role(?, ?, 'USAGE')")) {
            query.setString(1, login);
            query.setString(2, role);
            return firstIsTrue(query);
        }
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
                "user %s %s; ask a DBA to run what 'oneroof db migrate --print-roles%s' prints, then try again"
                        .formatted(login, what, adopts ? " --adopt-roles" : ""),
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
