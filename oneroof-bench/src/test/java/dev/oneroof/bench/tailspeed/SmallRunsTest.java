package dev.oneroof.bench.tailspeed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Sites;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.api.Test;

/** Every bench once, over few rows: it measures what it says, and leaves nothing behind. How fast it is, is not judged. */
@OneRoofTest
class SmallRunsTest {
    private static final SpeedConfig SMALL = new SpeedConfig(12_000, 1);

    @Test
    void backfillSweepsEveryRow(TestDatabase database) throws Exception {
        BenchResult result = ran(new BackfillBench(SMALL), database);

        assertThat(figure(result, "rows swept").holds()).isTrue();
        assertThat(figure(result, "seconds").ratio()).isPositive();
    }

    @Test
    void tailReadsWhatTheReferenceReads(TestDatabase database) throws Exception {
        BenchResult result = ran(new TailBench(SMALL, 1000), database);

        assertThat(figure(result, "sum of what was read").measured()).isPositive();
        assertThat(figure(result, "sum of what was read").holds()).isTrue();
        assertThat(figure(result, "rows per second").ratio()).isPositive();
    }

    @Test
    void depthCostsNoMoreBuffers(TestDatabase database) throws Exception {
        BenchResult result = ran(new DepthBench(new SpeedConfig(200_000, 1)), database);

        Figure buffers = figure(result, "buffers per row");
        assertThat(buffers.measured()).isPositive().isLessThan(1);
        assertThat(buffers.holds()).as(buffers.toString()).isTrue();
    }

    private static BenchResult ran(Bench bench, TestDatabase database) throws Exception {
        BenchResult result = bench.run(Sites.of(database));
        assertThat(database.value(Long.class, "SELECT count(*) FROM pg_namespace WHERE nspname = 'oneroof_bench'"))
                .isZero();
        assertThat(
                        database.value(
                                Long.class,
                                "SELECT (SELECT count(*) FROM oneroof.tail_source WHERE source_name <> 'event_outbox') + (SELECT count(*) FROM oneroof.queue_heartbeat)"))
                .isZero();
        return result;
    }

    private static Figure figure(BenchResult result, String name) {
        return result.figures().stream()
                .filter(figure -> figure.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
