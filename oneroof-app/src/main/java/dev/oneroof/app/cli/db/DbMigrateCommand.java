package dev.oneroof.app.cli.db;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.Migrator;
import dev.oneroof.postgres.text.Counted;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "migrate", description = "Create or update the roles and the schema to the version of this program.")
final class DbMigrateCommand implements Callable<Integer> {
    record Answer(String database, String schema, int migrations, String version) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--print-roles", description = "Print the SQL that a DBA must run first; change nothing.")
    private boolean printRoles;

    @Option(
            names = "--adopt-roles",
            description =
                    "Use existing roles of these names that OneRoof did not create. The comment on each role records it.")
    private boolean adoptRoles;

    @Override
    public Integer call() {
        AppConfig config = options.load();
        if (printRoles) {
            output.print(roleScript(config).stripTrailing());
            return 0;
        }
        try (OpenDatabase database = OpenDatabase.open(config, Access.SHARE)) {
            Migrator migrator = adopting(SchemaAccess.migrator(config, database));
            int migrations = SchemaAccess.migrate(config, migrator, database.admin());
            Answer answer = new Answer(
                    database.address().toString(),
                    config.schema().schema().value(),
                    migrations,
                    SchemaAccess.status(config, database.admin()).known());
            output.answer(answer, () -> print(answer));
        }
        return 0;
    }

    private Migrator adopting(Migrator migrator) {
        return adoptRoles ? migrator.adoptingRoles() : migrator;
    }

    private String roleScript(AppConfig config) {
        String login = config.database()
                .map(DatabaseAddress::user)
                .or(() -> Optional.ofNullable(System.getProperty("user.name")))
                .orElse("oneroof");
        DataSource none = Connections.plain(
                config.database().orElseGet(() -> DatabaseAddress.parse("db.url", "postgres://localhost/oneroof")),
                "oneroof");
        return adopting(new Migrator(none, config.schema())).roleScript(login);
    }

    private void print(Answer answer) {
        output.print("schema %s in %s is at version %s (%s ran)"
                .formatted(
                        answer.schema(),
                        answer.database(),
                        answer.version(),
                        Counted.of(answer.migrations(), "migration")));
    }
}
