package dev.oneroof.bench.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The trial in short. How quick it is, is measured by hand; that it is right must hold on any machine. */
@OneRoofTest
class SnapshotTrialTest {
    @Test
    void handlesEveryRowOnceWhileASnapshotStaysOpen(TestDatabase database) throws Exception {
        SnapshotConfig config =
                new SnapshotConfig(Duration.ofSeconds(1), Duration.ofSeconds(4), Duration.ofMillis(300), 700);

        BenchResult result =
                new SnapshotTrial(TrialDatabase.of(database), SchemaConfig.DEFAULT, config, new Waiting()).run();

        List<Figure> about = result.figures().stream()
                .filter(figure -> !figure.name().startsWith("time: "))
                .toList();
        assertThat(about).hasSizeGreaterThan(10).allMatch(Figure::holds);
    }
}
