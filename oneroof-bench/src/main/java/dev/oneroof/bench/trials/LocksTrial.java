package dev.oneroof.bench.trials;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Two instances over four sources, among meddlers that pause, beat and claim all the time. Whoever locks a cursor and a
 * lease in another order than the rest deadlocks sooner or later; the server counts it.
 */
public final class LocksTrial {
    private static final Duration LEASE = Duration.ofSeconds(2);
    /** A session tells the server's counters at most once a second. */
    private static final Duration COUNTED = Duration.ofSeconds(2);

    private static final int WRITERS = 2;

    private static final String DEADLOCKS = """
            SELECT deadlocks FROM pg_catalog.pg_stat_database WHERE datname = current_database()
            """;

    private final DatabaseAddress address;
    private final SchemaConfig schema;
    private final LocksConfig config;
    private final Waiting stop;
    private final TrialTables tables = new TrialTables("oneroof_locks");
    private final Database owner;

    /** @param stop ends the trial early */
    public LocksTrial(DatabaseAddress address, SchemaConfig schema, LocksConfig config, Waiting stop) {
        this.address = address;
        this.schema = schema;
        this.config = config;
        this.stop = stop;
        this.owner = new Database(Connections.plain(address, "trial owner"), schema.schema());
    }

    /** Runs it in a schema of its own, which is dropped afterwards. OneRoof's schema must be there. */
    public BenchResult run() throws SQLException {
        tables.create(owner, schema.roles().server());
        List<TailSource> sources = tables.register(owner, TrialTables.Kind.values());
        try {
            List<Figure> figures = meddle(sources);
            Verdict verdict = new Verdict(tables, owner);
            sources.forEach(source -> figures.addAll(verdict.figures(source)));
            figures.add(Figure.atLeast("control that locks the other way round: deadlocks", control(sources), 1));
            return BenchResult.of("locks", settings(), figures);
        } finally {
            tables.forget(owner, sources);
        }
    }

    private List<Figure> meddle(List<TailSource> sources) throws SQLException {
        long before = deadlocks();
        List<String> names = Instance.names(sources);
        Instance instance = new Instance(address, schema, tables.schema(), LEASE, names);
        List<Scope> scopes = names.stream().map(TrialTables::scope).toList();
        SplittableRandom random = new SplittableRandom(config.seed());
        Meddlers meddlers;
        try (HikariDataSource pool = Connections.pool(
                        address, "trial meddler", schema.roles().server(), 4);
                Writers writers = new Writers(tables, Connections.plain(address, "trial writer"));
                Instance.Running first = instance.start("locks-1");
                Instance.Running second = instance.start("locks-2")) {
            writers.backlog(2000);
            writers.start(WRITERS, random.split());
            meddlers = new Meddlers(new Database(pool, schema.schema()), new Ownership(owner, names), scopes);
            try (meddlers) {
                meddlers.start(random);
                stop.pause(config.length());
            }
            writers.close();
            new RunOut(tables, owner).await(sources);
        }
        new Waiting().pause(COUNTED);
        double least = config.length().toSeconds() / 4.0;
        return new ArrayList<>(List.of(
                Figure.exactly("deadlocks", deadlocks() - before, 0),
                Figure.atLeast("rows written", (double) tables.rows(owner), 1),
                Figure.atLeast("pauses", meddlers.pauses.doubleValue(), least),
                Figure.atLeast("beats of a lost owner, refused", meddlers.refusedBeats.doubleValue(), least),
                Figure.atLeast("claims by the meddler", meddlers.claims.doubleValue(), least),
                Figure.exactly("meddlers that failed", meddlers.failures.get(), 0)));
    }

    /** The lease first and the cursor second, against a batch's order. Returns how many deadlocks the server counted. */
    private double control(List<TailSource> sources) {
        long before = deadlocks();
        new OtherOrder(owner, TrialTables.scope(sources.getFirst().name())).run();
        Waiting waiting = new Waiting();
        long begun = System.nanoTime();
        while (deadlocks() == before
                && System.nanoTime() - begun < Duration.ofSeconds(20).toNanos()) {
            waiting.pause(Duration.ofMillis(100));
        }
        return (double) (deadlocks() - before);
    }

    private long deadlocks() {
        return owner.inTx(tx -> tx.query(DEADLOCKS).mapTo(Long.class).one());
    }

    private Map<String, Object> settings() {
        return Map.of("seconds", config.length().toSeconds(), "seed", config.seed());
    }
}
