package dev.oneroof.bench.tailspeed;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Turns;
import dev.oneroof.bench.Workshop;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.CursorStore;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What a row costs deep in a table, against what it costs near its beginning. A tail reads a stretch at each of the two
 * depths, and the server tells what each of its pages has cost.
 */
public final class DepthBench implements Bench {
    private static final int BATCH = 5000;
    private static final double AT_MOST = 1.1;
    private static final int SHALLOW = 100;
    private static final int TRIES = 100;

    private static final String SCHEMA = "oneroof_bench";

    private static final String SOURCE = """
            CREATE TABLE oneroof_bench.event (
                id   bigint NOT NULL,
                at   timestamptz NOT NULL,
                body text NOT NULL)
            """;

    private static final String FILL = """
            INSERT INTO oneroof_bench.event (id, at, body)
            SELECT i, timestamptz '2001-01-01 00:00:00Z' + make_interval(secs => i), 'the body of event number ' || i
            FROM generate_series(1, %s) i
            """;

    // As an operator would move it.
    private static final String PLACE = """
            UPDATE oneroof.gov_worker_cursor
            SET last_watermark_ts = e.at, last_watermark_id = e.id, settled_ts = e.at, settled_id = e.id,
                kept_ts = e.at, kept_id = e.id
            FROM (
                SELECT (timestamptz '2001-01-01 00:00:00Z' + make_interval(secs => :depth))::text AS at,
                       CAST(:depth AS bigint)::text AS id) e
            WHERE worker_name = :worker AND source_name = :source
            """;

    private final SpeedConfig config;
    private final CursorStore cursors = new CursorStore();

    public DepthBench(SpeedConfig config) {
        this.config = config;
    }

    @Override
    public BenchResult run(BenchSite site) throws Exception {
        try (Workshop workshop = Workshop.open(site, SCHEMA)) {
            workshop.run(
                    SOURCE, FILL.formatted(config.rows()), "ALTER TABLE oneroof_bench.event ADD PRIMARY KEY (at, id)");
            workshop.vacuum("oneroof_bench.event");
            // Long enough for whole batches, short enough to stay in the server's cache from one round to the next.
            long stretch = Math.max(1, config.rows() / SHALLOW);
            // Several batches: the first ones after a start may have to be fetched by their keys.
            int batch = Math.clamp(stretch / 10, 1, BATCH);
            TailSource source = TailSource.of(workshop.sourceName("bench-depth"), SCHEMA, "event", "id", IdType.BIGINT)
                    .timedBy("at", TimeType.TIMESTAMPTZ)
                    .inBatchesOf(batch);
            long deep = config.rows() - stretch;
            cost(workshop, source, stretch, stretch);
            cost(workshop, source, deep, stretch);

            List<PageCost> shallowCosts = new ArrayList<>();
            List<PageCost> deepCosts = new ArrayList<>();
            for (int round = 0; round < config.rounds(); round++) {
                shallowCosts.add(cost(workshop, source, stretch, stretch));
                deepCosts.add(cost(workshop, source, deep, stretch));
            }
            Turns buffers = turns(shallowCosts, deepCosts, PageCost::buffersPerRow);
            Turns micros = turns(shallowCosts, deepCosts, PageCost::microsPerRow);
            return BenchResult.of(
                    "depth",
                    Map.of(
                            "rows", config.rows(),
                            "rounds", config.rounds(),
                            "batch_size", batch,
                            "shallow", stretch,
                            "deep", deep),
                    List.of(
                            Figure.ratioAtMost(
                                    "buffers per row", buffers.candidateMedian(), buffers.referenceMedian(), AT_MOST),
                            Figure.told(
                                    "microseconds per row, warm", micros.candidateMedian(), micros.referenceMedian())));
        }
    }

    /** Until half of the rows at least were walked through, and not fetched by their keys. */
    private PageCost cost(Workshop workshop, TailSource source, long depth, long rows) throws InterruptedException {
        for (int tries = 0; tries < TRIES; tries++) {
            PageCost cost = costOnce(workshop, source, depth, rows);
            if (cost.rows() * 2 >= rows) {
                return cost;
            }
        }
        throw new OneRoofException(
                ErrorCode.FAILED,
                "depth: in %d runs less than half of %d rows could be walked through; a transaction is open on this server, as pg_stat_activity and pg_prepared_xacts show"
                        .formatted(TRIES, rows));
    }

    private PageCost costOnce(Workshop workshop, TailSource source, long depth, long rows) throws InterruptedException {
        workshop.forgetCursor(source.name());
        try (OneRoof oneroof = workshop.runtime()) {
            workshop.register(oneroof, source);
        }
        workshop.owner().useTx(tx -> {
            cursors.create(tx, Scope.of(Workshop.WORKER, source.name()), "governance", "incremental");
            tx.update(PLACE)
                    .bind("depth", depth)
                    .bind("worker", Workshop.WORKER)
                    .bind("source", source.name())
                    .execute();
        });
        ExplainedPages pages = new ExplainedPages(rows);
        new WholeRun(workshop, source, rows).fromTheCursor(pages);
        return pages.cost();
    }

    private static Turns turns(List<PageCost> reference, List<PageCost> candidate, ToDoubleFunction<PageCost> what) {
        return new Turns(
                reference.stream().mapToDouble(what).boxed().toList(),
                candidate.stream().mapToDouble(what).boxed().toList());
    }
}
