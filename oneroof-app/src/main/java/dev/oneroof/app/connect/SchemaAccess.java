package dev.oneroof.app.connect;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.Migrator;
import dev.oneroof.postgres.schema.SchemaStatus;
import java.sql.SQLException;
import org.flywaydb.core.api.FlywayException;

/** OneRoof's schema in a database that is open. */
public final class SchemaAccess {
    private SchemaAccess() {}

    public static Migrator migrator(AppConfig config, DatabaseAddress address) {
        return new Migrator(Connections.plain(address, "oneroof migrate"), config.schema());
    }

    /** Migrates, and says in plain words why it could not. */
    public static int migrate(Migrator migrator, DatabaseAddress address) {
        try {
            return migrator.migrate();
        } catch (SQLException | FlywayException e) {
            throw Connections.explained(address, e);
        }
    }

    public static SchemaStatus status(Migrator migrator, DatabaseAddress address) {
        try {
            return migrator.status();
        } catch (FlywayException e) {
            throw Connections.explained(address, e);
        }
    }
}
