package dev.oneroof.app.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.schema.SchemaStatus;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import javax.sql.DataSource;

/**
 * Opens the database for an operator's act, in the server role: what the act can read is what the workers can read.
 */
public final class OperatorAccess {
    private OperatorAccess() {}

    public static <R> R inDatabase(DatabaseOptions options, Function<Database, R> act) {
        return inPool(
                options,
                config -> 1,
                (config, pool) -> act.apply(new Database(pool, config.schema().schema())));
    }

    /** For an act that runs workers, with as many connections as are set for them. */
    public static <R> R inPool(DatabaseOptions options, BiFunction<AppConfig, DataSource, R> act) {
        return inPool(options, AppConfig::poolSize, act);
    }

    private static <R> R inPool(
            DatabaseOptions options, ToIntFunction<AppConfig> size, BiFunction<AppConfig, DataSource, R> act) {
        AppConfig config = options.load();
        try (OpenDatabase database = OpenDatabase.open(config, Access.LOOK)) {
            demandSchema(config, database);
            try (HikariDataSource pool = Connections.pool(
                    database.address(), "oneroof", config.schema().roles().server(), size.applyAsInt(config))) {
                return act.apply(config, pool);
            }
        }
    }

    private static void demandSchema(AppConfig config, OpenDatabase database) {
        SchemaStatus status = SchemaAccess.status(config, database.address());
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
                                        SchemaAccess.otherwise(config)));
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

    /** The name of the operating system's user. The database records its login's name, too. */
    public static String actor() {
        return System.getProperty("user.name", "unknown");
    }
}
