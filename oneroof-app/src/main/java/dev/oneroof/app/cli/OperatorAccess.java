package dev.oneroof.app.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
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
            SchemaAccess.demandCurrent(config, database);
            try (HikariDataSource pool = Connections.pool(
                    database.address(), "oneroof", config.schema().roles().server(), size.applyAsInt(config))) {
                return act.apply(config, pool);
            }
        }
    }

    /** The name of the operating system's user. The database records its login's name, too. */
    public static String actor() {
        return System.getProperty("user.name", "unknown");
    }
}
