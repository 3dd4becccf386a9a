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
class ReapTrialTest {
    @Test
    void doesEveryJobOnceWhateverBecomesOfItsProcesses(TestDatabase database, Seeded seed) {
        ReapConfig config = new ReapConfig(1500, 2, 1, 1, Duration.ofSeconds(2), seed.nextLong());

        BenchResult result = new ReapTrial(
                        TrialDatabase.of(database), SchemaConfig.DEFAULT, config, new Waiting(), message -> {})
                .run();

        assertThat(result.figures()).hasSizeGreaterThan(30).allMatch(Figure::holds);
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.v_job"))
                .isZero();
    }
}
