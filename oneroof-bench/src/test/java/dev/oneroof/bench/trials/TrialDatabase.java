package dev.oneroof.bench.trials;

import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.Map;

/** A test's database as a trial is given one. */
final class TrialDatabase {
    private TrialDatabase() {}

    static DatabaseAddress of(TestDatabase database) {
        return new DatabaseAddress(
                database.address().host(),
                database.address().port(),
                database.name(),
                database.address().user(),
                database.address().password(),
                Map.of());
    }
}
