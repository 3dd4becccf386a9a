package dev.oneroof.postgres.schema;

import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationVersion;
import org.jspecify.annotations.Nullable;

/**
 * Brings the schema to the version that this program knows. Any number of instances may do so at once: one works, the
 * others wait and find nothing left to do. A schema that a newer program has made is left alone.
 */
public final class Migrator {
    private static final Duration LOCK_PATIENCE = Duration.ofMinutes(2);
    private static final String LOCATION = "classpath:dev/oneroof/postgres/schema/migrations";

    private final DataSource dataSource;
    private final SchemaConfig config;
    private final Duration lockPatience;
    private final Roles roles;

    public Migrator(DataSource dataSource, SchemaConfig config) {
        this(dataSource, config, LOCK_PATIENCE);
    }

    Migrator(DataSource dataSource, SchemaConfig config, Duration lockPatience) {
        this(dataSource, config, lockPatience, new Roles(config));
    }

    private Migrator(DataSource dataSource, SchemaConfig config, Duration lockPatience, Roles roles) {
        this.dataSource = dataSource;
        this.config = config;
        this.lockPatience = lockPatience;
        this.roles = roles;
    }

    /** Takes roles of the wanted names for OneRoof's own that it has not made. Without this they are refused. */
    public Migrator adoptingRoles() {
        return new Migrator(dataSource, config, lockPatience, roles.adopting());
    }

    /** Lets the login act as the running program and as an operator. */
    public Migrator admitting(String login) {
        return new Migrator(dataSource, config, lockPatience, roles.admitting(login));
    }

    /** Migrates and returns how many migrations ran. */
    public int migrate() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            lock(connection);
            SchemaStatus before = status();
            if (before.state() == SchemaStatus.State.NEWER) {
                throw newer(before);
            }
            if (before.state() == SchemaStatus.State.DIFFERENT) {
                throw different(before);
            }
            roles.ensure(connection);
            // Everything belongs to the owner, whoever migrates.
            return flyway(new ActingAs(dataSource, config.roles().owner())).migrate().migrationsExecuted;
        }
    }

    public SchemaStatus status() {
        // Looking needs no role, and must work where there is none yet.
        var info = flyway(dataSource).info();
        MigrationVersion known = Arrays.stream(info.all())
                .filter(m -> m.getVersion() != null && m.getState().isResolved())
                .map(MigrationInfo::getVersion)
                .max(MigrationVersion::compareTo)
                .orElseThrow();
        MigrationInfo current = info.current();
        MigrationVersion installed = current == null ? null : current.getVersion();
        int pending = info.pending().length;
        List<String> different = Arrays.stream(info.all())
                .filter(Migrator::isDifferent)
                .map(m -> "%s (%s)".formatted(m.getVersion(), m.getDescription()))
                .toList();
        return new SchemaStatus(
                state(installed, known, pending, !different.isEmpty()),
                installed == null ? null : text(installed),
                text(known),
                pending,
                different);
    }

    /** Applied with another text, applied and unknown here, or passed over since a later one was applied before. */
    private static boolean isDifferent(MigrationInfo migration) {
        return migration.isVersioned()
                && switch (migration.getState()) {
                    case SUCCESS, OUT_OF_ORDER -> !migration.isChecksumMatching() || !migration.isDescriptionMatching();
                    case MISSING_SUCCESS, MISSING_FAILED, IGNORED -> true;
                    default -> false;
                };
    }

    /** What a DBA must run when {@code login} may not create roles. */
    public String roleScript(String login) {
        return roles.script(login);
    }

    private static SchemaStatus.State state(
            @Nullable MigrationVersion installed, MigrationVersion known, int pending, boolean isDifferent) {
        if (installed == null) {
            return SchemaStatus.State.ABSENT;
        }
        if (installed.compareTo(known) > 0) {
            return SchemaStatus.State.NEWER;
        }
        if (isDifferent) {
            return SchemaStatus.State.DIFFERENT;
        }
        return pending > 0 ? SchemaStatus.State.BEHIND : SchemaStatus.State.CURRENT;
    }

    private OneRoofException newer(SchemaStatus status) {
        return new OneRoofException(
                ErrorCode.SCHEMA_NEWER,
                "schema %s is at version %s and this program knows only up to %s; use a newer oneroof"
                        .formatted(config.schema(), shown(status.installed()), status.known()));
    }

    private OneRoofException different(SchemaStatus status) {
        return new OneRoofException(
                ErrorCode.SCHEMA_DIFFERENT,
                "schema %s was made by an earlier development build: its %s not as in this program, and cannot be brought there"
                        .formatted(
                                config.schema(),
                                status.different().size() == 1
                                        ? "version %s is"
                                                .formatted(status.different().getFirst())
                                        : "versions %s are".formatted(String.join(", ", status.different()))));
    }

    private static String shown(@Nullable String version) {
        return version == null ? "none" : version;
    }

    private static String text(MigrationVersion version) {
        return String.valueOf(version.getVersion());
    }

    /** Held until the connection closes. Flyway has a lock too, but roles and schema are made before it takes it. */
    private void lock(Connection connection) throws SQLException {
        try (PreparedStatement limit = connection.prepareStatement("SELECT set_config('lock_timeout', ?, false)");
                PreparedStatement lock = connection.prepareStatement(
                        "SELECT pg_advisory_lock(hashtext('oneroof migrate'), hashtext(?))")) {
            limit.setString(1, lockPatience.toMillis() + "ms");
            limit.execute();
            lock.setString(1, config.schema().value());
            lock.execute();
        } catch (SQLException e) {
            if (SqlState.isLockTimeout(e)) {
                throw new OneRoofException(
                        ErrorCode.CONFLICT,
                        "another process is migrating schema %s and did not end within %s s"
                                .formatted(config.schema(), lockPatience.toSeconds()),
                        e);
            }
            throw e;
        }
    }

    private Flyway flyway(DataSource connections) {
        RoleNames names = config.roles();
        return Flyway.configure()
                .loggers("slf4j")
                .dataSource(connections)
                .locations(LOCATION)
                .defaultSchema(config.schema().value())
                .createSchemas(false)
                .table("schema_history")
                .placeholders(Map.of(
                        "schema", config.schema().quoted(),
                        "server", RoleNames.quoted(names.server()),
                        "admin", RoleNames.quoted(names.admin()),
                        "executor", RoleNames.quoted(names.executor()),
                        "viewer", RoleNames.quoted(names.viewer())))
                .validateMigrationNaming(true)
                .load();
    }
}
