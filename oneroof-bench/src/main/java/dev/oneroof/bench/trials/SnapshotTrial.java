package dev.oneroof.bench.trials;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * Two prompt tails on sources that are written steadily, with a burst now and then, before and while somebody keeps a
 * snapshot open: no version of a hot row can be pruned, settled stands still, and the stretch grows. That must not slow
 * the tail by more than a quarter.
 */
public final class SnapshotTrial {
    private static final double QUARTER = 1.25;
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final Duration BETWEEN_ROWS = Duration.ofMillis(10);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    // By the database's clock alone. Rows of a burst are not counted: they wait for each other.
    private static final String DELAYS = """
            SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY delay) AS p50
            FROM (
                SELECT extract(epoch FROM h.at - s.written_at)::float8 * 1000 AS delay
                FROM %1$s.handled h
                JOIN %1$s.by_clock s USING (mark)
                WHERE h.tail = :tail AND h.mark < 0 AND h.mark BETWEEN :last AND :first) d
            """;

    private final DatabaseAddress address;
    private final SchemaConfig schema;
    private final SnapshotConfig config;
    private final Waiting stop;
    private final TrialTables tables = new TrialTables("oneroof_snapshot");
    private final Database owner;
    private final DataSource sessions;

    private final List<Double> ratesBefore = new ArrayList<>();
    private final List<Double> ratesDuring = new ArrayList<>();
    /** Single rows bear marks below zero, going down; bursts bear marks above it. */
    private final AtomicLong single = new AtomicLong();

    private long burst;
    private long singleAtOpening;
    private long singleAtLastQuarter;

    /** @param stop ends the trial early */
    public SnapshotTrial(DatabaseAddress address, SchemaConfig schema, SnapshotConfig config, Waiting stop) {
        this.address = address;
        this.schema = schema;
        this.config = config;
        this.stop = stop;
        this.owner = new Database(Connections.plain(address, "trial owner"), schema.schema());
        this.sessions = Connections.plain(address, "trial writer");
    }

    /** Runs it in a schema of its own, which is dropped afterwards. OneRoof's schema must be there. */
    public BenchResult run() throws SQLException, InterruptedException {
        tables.create(owner, schema.roles().server());
        List<TailSource> sources =
                tables.register(owner, TrialTables.Kind.CLOCK_PROMPT, TrialTables.Kind.SEQUENCE_PROMPT);
        try {
            measure(sources);
            return BenchResult.of("snapshot", settings(), figures(sources));
        } finally {
            tables.forget(owner, sources);
        }
    }

    private void measure(List<TailSource> sources) throws SQLException, InterruptedException {
        Instance instance = new Instance(address, schema, tables.schema(), LEASE, Instance.names(sources));
        Waiting written = new Waiting();
        try (Instance.Running running = instance.startAtOnce("snapshot-1")) {
            Thread writer = Thread.ofPlatform().name("trial-steady-writer").start(() -> writeSteadily(written));
            try {
                bursts(config.before(), running, ratesBefore);
                singleAtOpening = single.get();
                hold(running);
            } finally {
                written.stop();
                writer.join();
            }
            new RunOut(tables, owner).await(sources);
        }
    }

    private void hold(Instance.Running running) throws SQLException {
        try (Connection snapshot = sessions.getConnection()) {
            snapshot.setAutoCommit(false);
            snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            execute(snapshot, "SELECT count(*) FROM %s.by_clock".formatted(tables.schema()));
            // The last quarter is judged: what grows under an open snapshot has grown most by then.
            bursts(config.held().multipliedBy(3).dividedBy(4), running, new ArrayList<>());
            singleAtLastQuarter = single.get();
            bursts(config.held().dividedBy(4), running, ratesDuring);
            snapshot.rollback();
        }
    }

    private void writeSteadily(Waiting written) {
        try (Connection connection = sessions.getConnection()) {
            while (written.pause(BETWEEN_ROWS)) {
                long mark = single.get() - 1;
                execute(connection, tables.write(mark, mark));
                single.set(mark);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the steady writer failed", e);
        }
    }

    private void bursts(Duration length, Instance.Running running, List<Double> rates) throws SQLException {
        long end = System.nanoTime() + length.toNanos();
        try (Connection connection = sessions.getConnection()) {
            connection.setAutoCommit(false);
            do {
                stop.pause(config.burstEvery());
                rates.add(burst(connection, running));
            } while (System.nanoTime() < end && !stop.isStopped());
        }
    }

    /** Rows a second, from the commit of many until the slower tail has handled as many. */
    private double burst(Connection connection, Instance.Running running) throws SQLException {
        execute(connection, tables.write(burst + 1, burst + config.burstRows()));
        connection.commit();
        burst += config.burstRows();
        long begun = System.nanoTime();
        long wanted = burst - single.get();
        Waiting waiting = new Waiting();
        while (running.handledByAll() < wanted && System.nanoTime() - begun < PATIENCE.toNanos()) {
            waiting.pause(Duration.ofMillis(1));
        }
        return config.burstRows() * 1e9 / (System.nanoTime() - begun);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<Figure> figures(List<TailSource> sources) {
        Verdict verdict = new Verdict(tables, owner);
        List<Figure> figures = new ArrayList<>();
        double before = median(ratesBefore);
        double during = median(ratesDuring);
        figures.add(new Figure(
                "time: burst rows a second under the snapshot",
                during,
                before,
                rounded(during / before),
                ">= 1/1.25 of the reference",
                during * QUARTER >= before));
        for (TailSource source : sources) {
            double brief = p50(source, -1, singleAtOpening);
            double held = p50(source, singleAtLastQuarter - 1, single.get());
            figures.add(new Figure(
                    "time: %s, median ms of a single row under the snapshot"
                            .formatted(source.contract().name().toLowerCase(java.util.Locale.ROOT)),
                    held,
                    brief,
                    rounded(held / brief),
                    "<= 1.25 of the reference",
                    held <= brief * QUARTER));
            figures.addAll(verdict.figures(source));
        }
        return figures;
    }

    private double p50(TailSource source, long first, long last) {
        return owner.inTx(tx -> tx.query(DELAYS.formatted(tables.schema()))
                .bind("tail", source.name())
                .bind("first", first)
                .bind("last", last)
                .mapTo(Double.class)
                .findOne()
                .map(SnapshotTrial::rounded)
                .orElse(0.0));
    }

    private static double median(List<Double> rates) {
        List<Double> sorted = rates.stream().sorted().toList();
        return sorted.isEmpty() ? 0 : rounded(sorted.get(sorted.size() / 2));
    }

    private static double rounded(double value) {
        return Math.round(value * 100) / 100.0;
    }

    private Map<String, Object> settings() {
        return Map.of(
                "before_seconds", config.before().toSeconds(),
                "held_seconds", config.held().toSeconds(),
                "burst_rows", config.burstRows(),
                "rows", burst - single.get());
    }
}
