package dev.oneroof.bench.latecommit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Seeded;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The trial in short. How quick it is, is measured by hand; that it is right must hold on any machine. */
@OneRoofTest
class LateTrialTest {
    @OnEveryServer
    void losesNothingAndHandlesNothingTwiceWhereOrdinaryReadersLoseRows(TestDatabase database, Seeded seed)
            throws Exception {
        DatabaseAddress address = new DatabaseAddress(
                database.address().host(),
                database.address().port(),
                database.name(),
                database.address().user(),
                database.address().password(),
                Map.of());

        BenchResult result = new LateTrial(
                        address, SchemaConfig.DEFAULT, new LateConfig(Duration.ofSeconds(6), 6, seed.nextLong()))
                .run();

        List<Figure> about = result.figures().stream()
                .filter(figure -> !figure.name().contains("p99"))
                .toList();
        assertThat(about).hasSizeGreaterThan(15).allMatch(Figure::holds);
    }
}
