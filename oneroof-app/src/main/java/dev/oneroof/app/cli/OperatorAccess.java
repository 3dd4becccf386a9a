package dev.oneroof.app.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.app.host.Features;
import dev.oneroof.app.host.Host;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Opens the database for an operator's act, in the server role: what the act can read is what the workers can read.
 */
public final class OperatorAccess {
    private OperatorAccess() {}

    public static <R> R inDatabase(DatabaseOptions options, Function<Database, R> act) {
        return inDatabase(options, (config, db) -> act.apply(db));
    }

    /** As {@link #inDatabase(DatabaseOptions, Function)}, with the configuration. */
    public static <R> R inDatabase(DatabaseOptions options, BiFunction<AppConfig, Database, R> act) {
        AppConfig config = options.load();
        try (OpenDatabase database = OpenDatabase.open(config, Access.LOOK)) {
            SchemaAccess.demandCurrent(config, database);
            try (HikariDataSource pool = Connections.pool(
                    database.address(), "oneroof", config.schema().roles().server(), 1)) {
                return act.apply(config, new Database(pool, config.schema().schema()));
            }
        }
    }

    /** For an act that runs workers: a host with all features, under a name that no running process has. */
    public static <R> R inHost(DatabaseOptions options, Function<Host, R> act) {
        AppConfig config = options.load();
        try (OpenDatabase database = OpenDatabase.open(config, Access.LOOK);
                Host host = Host.open(
                        config, database, "run-once/" + ProcessHandle.current().pid(), Features.all())) {
            return act.apply(host);
        }
    }

    /** The name of the operating system's user. The database records its login's name, too. */
    public static String actor() {
        return System.getProperty("user.name", "unknown");
    }
}
