package dev.oneroof.bench.trials;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.fault.Cut;
import dev.oneroof.testkit.fault.PostgresProxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Four tails in this process on a server that is ended at once in the middle of a sweep, again and again, and whose
 * connections are cut just before the server gets a COMMIT or just after it has carried one out. Nothing may be lost or
 * doubled, though the worker cannot know what became of its last transaction.
 */
public final class CrashTrial {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WRITERS = 2;

    private enum Blow {
        RESTART,
        CUT_BEFORE,
        CUT_AFTER
    }

    private final BreakableServer server;
    private final SchemaConfig schema;
    private final CrashConfig config;
    private final Waiting stop;
    private final Consumer<String> progress;
    private final SplittableRandom random;
    private final TrialTables tables = new TrialTables("oneroof_crash");
    private final Database owner;
    private final Map<Blow, Integer> done = new EnumMap<>(Blow.class);

    /** @param stop ends the trial early; what has been done until then is judged */
    public CrashTrial(
            BreakableServer server, SchemaConfig schema, CrashConfig config, Waiting stop, Consumer<String> progress) {
        this.server = server;
        this.schema = schema;
        this.config = config;
        this.stop = stop;
        this.progress = progress;
        this.random = new SplittableRandom(config.seed());
        this.owner = new Database(Connections.plain(server.address(), "trial owner"), schema.schema());
    }

    /** Runs it in a schema of its own, which is dropped afterwards. OneRoof's schema must be there. */
    public BenchResult run() throws SQLException {
        tables.create(owner, schema.roles().server());
        List<TailSource> sources = tables.register(owner, TrialTables.Kind.values());
        try {
            strike(sources);
            return BenchResult.of("crash", settings(), figures(sources));
        } finally {
            tables.forget(owner, sources);
        }
    }

    private void strike(List<TailSource> sources) throws SQLException {
        DatabaseAddress direct = server.address();
        try (PostgresProxy proxy = PostgresProxy.to(new ServerAddress(
                        direct.host(),
                        direct.port(),
                        Objects.requireNonNullElse(direct.user(), ""),
                        Objects.requireNonNullElse(direct.password(), "")));
                Writers writers = new Writers(tables, Connections.plain(direct, "trial writer"))) {
            DatabaseAddress way = new DatabaseAddress(
                    proxy.host(), proxy.port(), direct.database(), direct.user(), direct.password(), Map.of());
            writers.backlog(Math.max(config.rows() / 2, 100));
            writers.start(WRITERS, random.split());
            Instance instance = new Instance(way, schema, tables.schema(), LEASE, Instance.names(sources));
            try (Instance.Running running =
                    instance.start("crash-" + ProcessHandle.current().pid())) {
                for (Blow blow : blows()) {
                    if (!stop.isStopped()) {
                        strike(blow, proxy, sources);
                    }
                }
                while (!stop.isStopped() && tables.rows(owner) < config.rows()) {
                    stop.pause(Duration.ofMillis(200));
                }
                writers.close();
                new RunOut(tables, owner).await(sources);
            }
        }
    }

    private List<Blow> blows() {
        List<Blow> blows = new ArrayList<>();
        blows.addAll(Collections.nCopies(config.restarts(), Blow.RESTART));
        blows.addAll(Collections.nCopies(config.cuts() / 2, Blow.CUT_BEFORE));
        blows.addAll(Collections.nCopies(config.cuts() - config.cuts() / 2, Blow.CUT_AFTER));
        Collections.shuffle(blows, new Random(random.nextLong()));
        return blows;
    }

    private void strike(Blow blow, PostgresProxy proxy, List<TailSource> sources) {
        awaitProgress(sources);
        new Waiting().pause(Duration.ofMillis(random.nextInt(300)));
        switch (blow) {
            case RESTART -> {
                server.crash();
                server.start();
                done.merge(blow, 1, Integer::sum);
            }
            case CUT_BEFORE -> count(blow, proxy.cutBefore(commitOfABatch()));
            case CUT_AFTER -> count(blow, proxy.cutAfter(commitOfABatch()));
        }
        if (blow == Blow.RESTART) {
            progress.accept("%d restarts, %d cuts before and %d after a COMMIT"
                    .formatted(done(Blow.RESTART), done(Blow.CUT_BEFORE), done(Blow.CUT_AFTER)));
        }
    }

    /** Blows hit a sweep only if there has been some work since the last one. */
    private void awaitProgress(List<TailSource> sources) {
        long before = tables.seen(owner, sources);
        Waiting waiting = new Waiting();
        long begun = System.nanoTime();
        while (tables.seen(owner, sources) <= before && System.nanoTime() - begun < PATIENCE.toNanos()) {
            waiting.pause(Duration.ofMillis(10));
        }
    }

    /** The next COMMIT after an effect: other transactions, such as the barrier's looks, have nothing to lose. */
    private Predicate<String> commitOfABatch() {
        AtomicBoolean effect = new AtomicBoolean();
        return statement -> {
            if (statement.contains(tables.schema() + ".handled")) {
                effect.set(true);
                return false;
            }
            return effect.get() && statement.strip().equalsIgnoreCase("COMMIT");
        };
    }

    private void count(Blow blow, Cut cut) {
        Waiting waiting = new Waiting();
        long begun = System.nanoTime();
        while (!cut.happened() && System.nanoTime() - begun < PATIENCE.toNanos()) {
            waiting.pause(Duration.ofMillis(5));
        }
        done.merge(blow, cut.happened() ? 1 : 0, Integer::sum);
    }

    private int done(Blow blow) {
        return done.getOrDefault(blow, 0);
    }

    private List<Figure> figures(List<TailSource> sources) {
        Verdict verdict = new Verdict(tables, owner);
        List<Figure> figures = new ArrayList<>(List.of(
                Figure.atLeast("rows written", (double) tables.rows(owner), (double) config.rows()),
                Figure.exactly("restarts", done(Blow.RESTART), config.restarts()),
                Figure.exactly("cuts before a COMMIT", done(Blow.CUT_BEFORE), config.cuts() / 2),
                Figure.exactly("cuts after a COMMIT", done(Blow.CUT_AFTER), config.cuts() - config.cuts() / 2)));
        sources.forEach(source -> figures.addAll(verdict.figures(source)));
        return figures;
    }

    private Map<String, Object> settings() {
        return Map.of(
                "rows", config.rows(),
                "restarts", config.restarts(),
                "cuts", config.cuts(),
                "seed", config.seed());
    }
}
