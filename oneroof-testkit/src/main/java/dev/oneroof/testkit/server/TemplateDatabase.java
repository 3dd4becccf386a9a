package dev.oneroof.testkit.server;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.schema.Migrator;
import dev.oneroof.postgres.schema.SchemaConfig;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The database that every test's own is a copy of: made once per server, migrated once, then closed to all. */
final class TemplateDatabase {
    static final String NAME = "oneroof_test_template";

    private TemplateDatabase() {}

    static void prepare(TestServer server, Sql control) {
        control.run("CREATE DATABASE " + NAME);
        migrate(new TestDatabase(server, NAME).dataSource(NAME));
        // Nobody may be connected while a copy is taken; this also keeps autovacuum out of the way of the first test.
        control.run("ALTER DATABASE " + NAME + " WITH ALLOW_CONNECTIONS false IS_TEMPLATE true");
    }

    private static void migrate(DataSource template) {
        try {
            new Migrator(template, SchemaConfig.DEFAULT).migrate();
        } catch (SQLException e) {
            throw new OneRoofException(ErrorCode.FAILED, "Cannot migrate the template: " + e.getMessage(), e);
        }
    }
}
