package dev.oneroof.bench.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Seeded;
import dev.oneroof.testkit.server.OwnServer;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.api.Test;

/** The trial in short. */
@OneRoofTest
class CrashTrialTest {
    @Test
    void losesAndDoublesNothingWhenTheServerCrashesAndConnectionsAreCutAtTheCommit(
            OwnServer server, TestDatabase database, Seeded seed) throws Exception {
        CrashConfig config = new CrashConfig(4000, 3, 10, seed.nextLong());

        BenchResult result = new CrashTrial(
                        breakable(server, database), SchemaConfig.DEFAULT, config, new Waiting(), message -> {})
                .run();

        assertThat(result.figures()).hasSizeGreaterThan(25).allMatch(Figure::holds);
    }

    private static BreakableServer breakable(OwnServer server, TestDatabase database) {
        DatabaseAddress address = TrialDatabase.of(database);
        return new BreakableServer() {
            @Override
            public DatabaseAddress address() {
                return address;
            }

            @Override
            public void crash() {
                server.crash();
            }

            @Override
            public void start() {
                server.start();
            }
        };
    }
}
