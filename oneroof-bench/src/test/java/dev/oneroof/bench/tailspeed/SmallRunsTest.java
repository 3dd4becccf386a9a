package dev.oneroof.bench.tailspeed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Sites;
import dev.oneroof.bench.trials.HeartbeatConfig;
import dev.oneroof.bench.trials.HeartbeatTrial;
import dev.oneroof.bench.wakeup.WakeBench;
import dev.oneroof.bench.wakeup.WakeConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
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
        // Other tests on this server may make one of the two dearer by a half; growth by depth is many times that.
        assertThat(buffers.ratio()).as(buffers.toString()).isLessThan(3);
    }

    @Test
    void wakeUpsReachTheHandlerAndLeaveNoEventBehind(TestDatabase database) throws Exception {
        BenchResult result = ran(new WakeBench(new WakeConfig(5, 2, 2, Duration.ofMillis(200), 1)), database);

        assertThat(figure(result, "events not handled").holds()).isTrue();
        assertThat(figure(result, "p50 ms from commit to handler").measured()).isPositive();
        assertThat(figure(result, "emitted a second with the bridge on").ratio())
                .isPositive();
        assertThat(
                        database.value(
                                Long.class,
                                "SELECT (SELECT count(*) FROM oneroof.event_outbox) + (SELECT count(*) FROM oneroof.event_type_registry WHERE event_domain = 'bench_wake')"))
                .isZero();
        assertThat(database.value(Boolean.class, "SELECT oneroof.fn_gate_open('queue.notify.bridge_enabled')"))
                .isFalse();
    }

    @Test
    void beatsUnderASnapshotKeepALookupShort(TestDatabase database) throws Exception {
        BenchResult result = ran(new HeartbeatTrial(new HeartbeatConfig(3, 200, 100)), database);

        assertThat(figure(result, "median ms of a lookup").measured()).isPositive();
        assertThat(figure(result, "pages of the table").ratio())
                .as("nothing was pruned")
                .isGreaterThan(1);
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
