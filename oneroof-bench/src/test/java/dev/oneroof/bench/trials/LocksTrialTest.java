package dev.oneroof.bench.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Seeded;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The trial in short. */
@OneRoofTest
class LocksTrialTest {
    @Test
    void neverDeadlocksBetweenBatchesClaimsBeatsAndPauses(TestDatabase database, Seeded seed) throws Exception {
        LocksConfig config = new LocksConfig(Duration.ofSeconds(6), seed.nextLong());

        BenchResult result =
                new LocksTrial(TrialDatabase.of(database), SchemaConfig.DEFAULT, config, new Waiting()).run();

        assertThat(result.figures()).hasSizeGreaterThan(25).allMatch(Figure::holds);
    }
}
