package dev.oneroof.bench.tailspeed;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Turns;
import dev.oneroof.bench.Workshop;
import dev.oneroof.core.tail.Row;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tail to a Java handler that does nothing with the rows, against a loop of keyset pages as one would write it with JDBC.
 * Both make Java values of all three columns of every row.
 */
public final class TailBench implements Bench {
    private static final int PAGE = 5000;
    private static final double AT_LEAST = 0.85;

    private static final String SCHEMA = "oneroof_bench";

    private static final String SOURCE = """
            CREATE TABLE oneroof_bench.event (
                id   bigint GENERATED ALWAYS AS IDENTITY,
                at   timestamptz NOT NULL,
                body text NOT NULL,
                PRIMARY KEY (at, id))
            """;

    private static final String FILL = """
            INSERT INTO oneroof_bench.event (at, body)
            SELECT now() - make_interval(secs => (%1$s - i) * 7 + 60), 'the body of event number ' || i
            FROM generate_series(1, %1$s) i
            ORDER BY i
            """;

    private static final String FIRST_PAGE = "SELECT id, at, body FROM oneroof_bench.event ORDER BY at, id LIMIT 5000";
    private static final String NEXT_PAGE =
            "SELECT id, at, body FROM oneroof_bench.event WHERE (at, id) > (?, ?) ORDER BY at, id LIMIT 5000";

    private final SpeedConfig config;
    private final int batch;
    /** What was read goes in here, so that the reading cannot be left out. */
    private long sum;

    /**
     * Both over the same rows.
     *
     * @param batch how many rows the tail commits at once
     */
    public TailBench(SpeedConfig config, int batch) {
        this.config = config;
        this.batch = batch;
    }

    @Override
    public BenchResult run(BenchSite site) throws Exception {
        try (Workshop workshop = Workshop.open(site, SCHEMA)) {
            workshop.run(SOURCE, FILL.formatted(config.rows()));
            workshop.vacuum("oneroof_bench.event");
            TailSource source = TailSource.of(workshop.sourceName("bench-tail"), SCHEMA, "event", "id", IdType.BIGINT)
                    .timedBy("at", TimeType.TIMESTAMPTZ)
                    .inBatchesOf(batch);
            WholeRun tail = new WholeRun(workshop, source, config.rows());
            long expected = sumOf(() -> pages(workshop));
            long tailed = sumOf(() -> tailed(tail));
            Turns turns = Turns.take(
                    config.rounds(), () -> config.rows() / pages(workshop), () -> config.rows() / tailed(tail));
            return BenchResult.of(
                    "tail",
                    config.settings(batch),
                    List.of(
                            Figure.exactly("sum of what was read", tailed, expected),
                            Figure.ratioAtLeast(
                                    "rows per second", turns.candidateMedian(), turns.referenceMedian(), AT_LEAST)));
        }
    }

    /** Warms up, and finds out whether both have read the same. */
    private long sumOf(Turns.Run run) throws Exception {
        sum = 0;
        run.measure();
        return sum;
    }

    private double tailed(WholeRun tail) throws InterruptedException {
        return tail.fromTheBeginning(TailSpec.draft(Workshop.WORKER, "event")
                .reading("id", "at", "body")
                .inBatches((tx, rows) -> {
                    for (Row row : rows) {
                        add(row.number("id"), row.value("at", OffsetDateTime.class), row.string("body"));
                    }
                })
                .effect());
    }

    private double pages(Workshop workshop) throws Exception {
        try (Connection connection = workshop.connect();
                PreparedStatement first = connection.prepareStatement(FIRST_PAGE);
                PreparedStatement next = connection.prepareStatement(NEXT_PAGE)) {
            long begun = System.nanoTime();
            Place place = read(first);
            while (place.rows() == PAGE) {
                next.setObject(1, place.at());
                next.setLong(2, place.id());
                place = read(next);
            }
            return (System.nanoTime() - begun) / 1e9;
        }
    }

    private record Place(@Nullable OffsetDateTime at, long id, int rows) {}

    private Place read(PreparedStatement page) throws Exception {
        @Nullable OffsetDateTime at = null;
        long id = 0;
        int count = 0;
        try (ResultSet rows = page.executeQuery()) {
            while (rows.next()) {
                id = rows.getLong(1);
                at = rows.getObject(2, OffsetDateTime.class);
                add(id, at, rows.getString(3));
                count++;
            }
        }
        return new Place(at, id, count);
    }

    private void add(long id, @Nullable OffsetDateTime at, @Nullable String body) {
        sum += id
                + Objects.requireNonNull(at).getNano()
                + Objects.requireNonNull(body).length();
    }
}
