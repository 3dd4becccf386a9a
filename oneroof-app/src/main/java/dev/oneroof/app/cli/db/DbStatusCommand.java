package dev.oneroof.app.cli.db;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "status",
        description = "Show the version of the schema. Exit code 3: it is not the version of this program.")
final class DbStatusCommand implements Callable<Integer> {
    private static final int UNHEALTHY = 3;

    record Answer(
            String database,
            String server,
            String schema,
            String state,
            @Nullable String installed,
            String known,
            @Nullable String remedy) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        AppConfig config = options.load();
        try (OpenDatabase database = OpenDatabase.open(config, Access.LOOK)) {
            SchemaStatus status = SchemaAccess.status(config, database.address());
            Answer answer = new Answer(
                    database.address().toString(),
                    serverVersion(database.address()),
                    config.schema().schema().value(),
                    status.state().name().toLowerCase(Locale.ROOT),
                    status.installed(),
                    status.known(),
                    status.state() == SchemaStatus.State.DIFFERENT ? SchemaAccess.otherwise(config) : null);
            output.answer(answer, () -> print(answer));
            return status.state() == SchemaStatus.State.CURRENT ? 0 : UNHEALTHY;
        }
    }

    private void print(Answer answer) {
        output.print("database   %s".formatted(answer.database()));
        output.print("server     PostgreSQL %s".formatted(answer.server()));
        output.print("schema     %s".formatted(answer.schema()));
        output.print("state      %s".formatted(answer.state()));
        output.print(answer.installed() == null ? "installed  none" : "installed  version " + answer.installed());
        output.print("program    version %s".formatted(answer.known()));
        if (answer.remedy() != null) {
            output.print("to do      %s".formatted(answer.remedy()));
        }
    }

    private static String serverVersion(DatabaseAddress address) {
        try (Connection connection = Connections.plain(address, "oneroof").getConnection()) {
            return connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            throw Connections.explained(address, e);
        }
    }
}
