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
import java.util.List;
import org.junit.jupiter.api.Test;

/** The trial in short. How soon somebody goes on is measured by hand; that it is right must hold on any machine. */
@OneRoofTest
class ResumeTrialTest {
    @Test
    void goesOnExactlyOnceAfterKillsAndFreezes(TestDatabase database, Seeded seed) throws Exception {
        ResumeConfig config = new ResumeConfig(3000, 2, 1, Duration.ofMillis(1500), seed.nextLong());

        BenchResult result = new ResumeTrial(
                        TrialDatabase.of(database), SchemaConfig.DEFAULT, config, new Waiting(), message -> {})
                .run();

        List<Figure> about = result.figures().stream()
                .filter(figure -> !figure.name().contains("take-over"))
                .toList();
        assertThat(about).hasSizeGreaterThan(15).allMatch(Figure::holds);
    }
}
