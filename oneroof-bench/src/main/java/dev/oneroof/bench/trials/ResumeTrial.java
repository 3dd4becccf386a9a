package dev.oneroof.bench.trials;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.fault.JavaProcess;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Two processes over one source while it is written, whose owner is killed or frozen again and again, at any moment. Every
 * row's effect must happen once, a lost owner must commit nothing, and somebody must go on soon.
 */
public final class ResumeTrial {
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final int WRITERS = 3;

    private final DatabaseAddress address;
    private final SchemaConfig schema;
    private final ResumeConfig config;
    private final Waiting stop;
    private final Consumer<String> progress;
    private final SplittableRandom random;
    private final TrialTables tables = new TrialTables("oneroof_resume");
    private final Database owner;

    private final List<Double> afterKill = new ArrayList<>();
    private final List<Double> afterStop = new ArrayList<>();
    private int kills;
    private int stops;
    private long caughtOpen;

    /** @param stop ends the trial early; what has been done until then is judged */
    public ResumeTrial(
            DatabaseAddress address,
            SchemaConfig schema,
            ResumeConfig config,
            Waiting stop,
            Consumer<String> progress) {
        this.address = address;
        this.schema = schema;
        this.config = config;
        this.stop = stop;
        this.progress = progress;
        this.random = new SplittableRandom(config.seed());
        this.owner = new Database(Connections.plain(address, "trial owner"), schema.schema());
    }

    /** Runs it in a schema of its own, which is dropped afterwards. OneRoof's schema must be there. */
    public BenchResult run() throws SQLException {
        tables.create(owner, schema.roles().server());
        List<TailSource> sources =
                tables.register(owner, TrialTables.Kind.CLOCK_PROMPT, TrialTables.Kind.SEQUENCE_STRICT);
        try {
            strike(sources);
            return BenchResult.of("resume", settings(), figures(sources));
        } finally {
            tables.forget(owner, sources);
        }
    }

    private void strike(List<TailSource> sources) throws SQLException {
        Ownership ownership = new Ownership(owner, Instance.names(sources));
        Instance instance = new Instance(address, schema, tables.schema(), config.lease(), Instance.names(sources));
        try (Writers writers = new Writers(tables, Connections.plain(address, "trial writer"))) {
            writers.backlog(Math.max(config.rows() / 4, 100));
            new Unfenced(tables, owner).run(3);
            writers.start(WRITERS, random.split());
            try (Pair pair = new Pair(instance)) {
                for (Blow blow : Blow.mixed(config.kills(), config.stops(), random)) {
                    if (stop.isStopped()) {
                        break;
                    }
                    strike(pair, ownership, blow);
                }
                while (!stop.isStopped() && tables.rows(owner) < config.rows()) {
                    stop.pause(Duration.ofMillis(500));
                }
                writers.close();
                new RunOut(tables, owner).await(sources);
            }
        }
    }

    private void strike(Pair pair, Ownership ownership, Blow blow) {
        pair.awaitReady();
        stop.pause(Duration.ofMillis(random.nextInt(1200)));
        String name = anOwner(pair, ownership);
        switch (blow) {
            case KILL -> kill(pair, ownership, name);
            case STOP -> pair.named(name).ifPresent(process -> freeze(ownership, name, process));
        }
        if ((kills + stops) % 10 == 0) {
            progress.accept("%d kills, %d stops, %,d rows".formatted(kills, stops, tables.rows(owner)));
        }
    }

    /** The living owner of a tail drawn by chance: to strike one that stands by tells little. */
    private String anOwner(Pair pair, Ownership ownership) {
        while (true) {
            List<Ownership.Held> all = ownership.all();
            if (!all.isEmpty()) {
                String name = all.get(random.nextInt(all.size())).owner();
                if (name != null && pair.named(name).isPresent()) {
                    return name;
                }
            }
            new Waiting().pause(Duration.ofMillis(20));
        }
    }

    private void kill(Pair pair, Ownership ownership, String name) {
        long now = System.nanoTime();
        pair.killAndReplace(name);
        afterKill.addAll(takeOvers(ownership, ownership.of(name), now));
        kills++;
    }

    private void freeze(Ownership ownership, String name, JavaProcess process) {
        Duration length = config.lease().plusMillis(random.nextInt(500, 6000));
        long now = System.nanoTime();
        process.pause();
        try {
            List<Ownership.Held> held = ownership.of(name);
            caughtOpen += ownership.openBatches(held) > 0 ? 1 : 0;
            afterStop.addAll(takeOvers(ownership, held, now));
            new Waiting().pause(length.minusNanos(System.nanoTime() - now));
        } finally {
            process.resume();
        }
        stops++;
    }

    /** Waits longer than is promised, to see how much too long it takes, and tells who is in the way. */
    private List<Double> takeOvers(Ownership ownership, List<Ownership.Held> lost, long sinceNanos) {
        Duration promised = config.lease().plus(GRACE);
        List<Double> times = ownership.takeOvers(lost, sinceNanos, promised.plus(GRACE));
        if (longest(times) > promised.toMillis()) {
            progress.accept("nobody has taken over yet; open transactions: " + ownership.openTransactions());
        }
        return times;
    }

    private List<Figure> figures(List<TailSource> sources) {
        Verdict verdict = new Verdict(tables, owner);
        double limit = config.lease().plus(GRACE).toMillis();
        List<Figure> figures = new ArrayList<>(List.of(
                Figure.atLeast("rows written", (double) tables.rows(owner), (double) config.rows()),
                Figure.exactly("kills", kills, config.kills()),
                Figure.exactly("stops", stops, config.stops()),
                Figure.atLeast("stops that met an open batch", (double) caughtOpen, 0),
                Figure.atLeast("take-overs measured", afterKill.size() + afterStop.size(), (kills + stops) / 2.0),
                Figure.atMost("take-over ms after a kill, longest", longest(afterKill), limit),
                Figure.atMost("take-over ms after a stop, longest", longest(afterStop), limit)));
        sources.forEach(source -> figures.addAll(verdict.figures(source)));
        figures.add(Figure.atLeast(
                "control without a fence: handled twice", (double) verdict.twice(Unfenced.TAIL, Unfenced.TABLE), 1));
        figures.add(Figure.atLeast(
                "control without a fence: commits by a lost owner", (double) verdict.staleCommits(Unfenced.TAIL), 1));
        return figures;
    }

    private static double longest(List<Double> times) {
        return times.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }

    private Map<String, Object> settings() {
        return Map.of(
                "rows", config.rows(),
                "kills", config.kills(),
                "stops", config.stops(),
                "lease_ms", config.lease().toMillis(),
                "seed", config.seed());
    }
}
