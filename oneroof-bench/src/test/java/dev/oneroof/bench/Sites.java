package dev.oneroof.bench;

import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.Map;

/** A test's database, as a bench is given one. */
public final class Sites {
    private Sites() {}

    public static BenchSite of(TestDatabase database) {
        return new BenchSite(
                new DatabaseAddress(
                        database.address().host(),
                        database.address().port(),
                        database.name(),
                        database.address().user(),
                        database.address().password(),
                        Map.of()),
                SchemaConfig.DEFAULT);
    }
}
