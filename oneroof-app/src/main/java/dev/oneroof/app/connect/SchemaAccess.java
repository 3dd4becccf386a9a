package dev.oneroof.app.connect;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.RoleMembership;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.schema.Migrator;
import dev.oneroof.postgres.schema.SchemaStatus;
import java.sql.SQLException;
import org.flywaydb.core.api.FlywayException;

/** OneRoof's schema in a database that is open. */
public final class SchemaAccess {
    private SchemaAccess() {}

    /** Runs as the administrator and grants the login of the program its role. */
    public static Migrator migrator(AppConfig config, OpenDatabase database) {
        Migrator migrator = migrator(config, database.admin());
        String login = database.address().user();
        return database.isEmbedded() && login != null ? migrator.admitting(login) : migrator;
    }

    public static Migrator migrator(AppConfig config, DatabaseAddress address) {
        return new Migrator(Connections.plain(address, "oneroof migrate"), config.schema());
    }

    public static int migrate(AppConfig config, OpenDatabase database) {
        return migrate(config, migrator(config, database), database.admin());
    }

    /** Migrates, and says in plain words why it could not. */
    public static int migrate(AppConfig config, Migrator migrator, DatabaseAddress address) {
        try {
            return migrator.migrate();
        } catch (OneRoofException e) {
            throw e.code() == ErrorCode.SCHEMA_DIFFERENT
                    ? new OneRoofException(e.code(), e.message() + "; " + otherwise(config), e)
                    : e;
        } catch (SQLException | FlywayException e) {
            throw Connections.explained(address, e);
        }
    }

    /** What to do with a schema that another development build made. */
    public static String otherwise(AppConfig config) {
        return config.database().isPresent()
                ? "drop that schema with all its data, or use another one: --schema NAME"
                : "delete the folder %s with all its data, or use another one: --home FOLDER".formatted(config.home());
    }

    public static SchemaStatus status(AppConfig config, DatabaseAddress address) {
        try {
            return migrator(config, address).status();
        } catch (FlywayException e) {
            throw RoleMembership.explained(address, config.schema().roles().server(), e);
        }
    }

    /** Refuses a schema that is absent, behind, newer or made by another build. */
    public static void demandCurrent(AppConfig config, OpenDatabase database) {
        SchemaStatus status = status(config, database.address());
        switch (status.state()) {
            case CURRENT -> {}
            case ABSENT, BEHIND ->
                throw new OneRoofException(
                        ErrorCode.NOT_FOUND,
                        "schema: '%s' in %s is %s; run 'oneroof db migrate' to bring it to version %s"
                                .formatted(
                                        config.schema().schema(),
                                        database.address(),
                                        status.installed() == null ? "missing" : "at version " + status.installed(),
                                        status.known()));
            case DIFFERENT ->
                throw new OneRoofException(
                        ErrorCode.SCHEMA_DIFFERENT,
                        "schema: '%s' in %s was created by an earlier development build and differs in %s; %s"
                                .formatted(
                                        config.schema().schema(),
                                        database.address(),
                                        String.join(", ", status.different()),
                                        otherwise(config)));
            case NEWER ->
                throw new OneRoofException(
                        ErrorCode.SCHEMA_NEWER,
                        "schema: '%s' in %s is at version %s and this program supports %s; use a newer oneroof"
                                .formatted(
                                        config.schema().schema(),
                                        database.address(),
                                        status.installed(),
                                        status.known()));
        }
    }
}
