package dev.oneroof.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.schema.RoleNames;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.api.Test;

@OneRoofTest
class DemoRegistryTest {
    /** Waiting for each other's tables, two demos would end in a deadlock. */
    @Test
    void startsWithoutWaitingForTheTablesOfADemoThatWrites(TestDatabase database) {
        DemoRegistry registry =
                new DemoRegistry(new Database(database.dataSource(), SchemaName.DEFAULT), RoleNames.DEFAULT);
        registry.create(10, 1);
        database.run("ALTER DATABASE %s SET lock_timeout = '200ms'".formatted(Sql.identifier(database.name())));

        try (Sql writer = database.sql()) {
            writer.run("BEGIN");
            // As any insert does.
            writer.run("LOCK TABLE oneroof_demo.birth_registry, oneroof_demo.registry_changelog IN ROW EXCLUSIVE MODE");

            registry.create(10, 1);

            writer.run("COMMIT");
        }
        assertThat(registry.filled()).isZero();
    }
}
