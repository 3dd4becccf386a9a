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
}
