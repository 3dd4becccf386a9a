package dev.oneroof.bench.trials;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Processes that do jobs, killed and frozen again and again, at any moment and always with one left to go on. An effect in the
 * transaction that ends its job must happen once; any other at least once, and again only where a crash explains it; and of a
 * kind with a limit of one there must never be two valid leases.
 */
public final class ReapTrial {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration LOOK = Duration.ofMillis(20);
    /** What happens twice comes after what happens once. */
    private static final Duration AFTER = Duration.ofSeconds(2);
    /** One in so many is of the kind with a limit: those go one after the other. */
    private static final int SINGLE_IN = 50;

    private final BenchSite site;
    private final ReapConfig config;
    private final Waiting stop;
    private final Consumer<String> progress;
    private final SplittableRandom random;
    private final JobTables tables = new JobTables("oneroof_reap");
    private final GateStore gates = new GateStore();
    private final Database owner;
    private final long[] enqueued = new long[JobTables.KINDS.size()];
    private int strikes;

    /** @param stop ends the trial early; what has been done until then is judged */
    public ReapTrial(
            DatabaseAddress address, SchemaConfig schema, ReapConfig config, Waiting stop, Consumer<String> progress) {
        this.site = new BenchSite(address, schema);
        this.config = config;
        this.stop = stop;
        this.progress = progress;
        this.random = new SplittableRandom(config.seed());
        this.owner = new Database(Connections.plain(address, "trial owner"), schema.schema());
    }

    /**
     * Runs it in a schema and with kinds of its own, which are taken away afterwards, and opens the gate of jobs meanwhile.
     * OneRoof's schema must be there.
     */
    public BenchResult run() {
        tables.forget(owner);
        tables.create(owner, site.schema().roles().server());
        boolean wasOpen = owner.inTx(tx -> gates.isOpen(tx, Gates.JOBS));
        try {
            owner.useTx(tx -> gates.open(tx, Gates.JOBS, "bench", "a trial"));
            List<Figure> watched = strikeAndWatch();
            return BenchResult.of("reap", settings(), figures(watched));
        } finally {
            if (!wasOpen) {
                owner.useTx(tx -> gates.close(tx, Gates.JOBS, "bench", "a trial"));
            }
            tables.forget(owner);
        }
    }

    private List<Figure> strikeAndWatch() {
        try (HikariDataSource pool =
                Connections.pool(site.address(), "trial", site.schema().roles().server(), 1)) {
            Jobs jobs = new Jobs(new Database(pool, site.schema().schema()));
            JobTables.KINDS.forEach(kind -> jobs.register(JobTables.kind(kind, config.lease()), "bench"));
            LeaseWatch watch = new LeaseWatch(site);
            try (watch;
                    Crew crew = new Crew(
                            new JobInstance(site, tables.schema(), config.lease()), owner, config.processes())) {
                strike(jobs, crew);
            }
            return watch.figures();
        }
    }

    /** A portion of the jobs before every blow: so each meets work that is under way. */
    private void strike(Jobs jobs, Crew crew) {
        List<Blow> blows = Blow.mixed(config.kills(), config.stops(), random);
        for (int n = 0; n < blows.size(); n++) {
            int blowsLeft = blows.size() - n;
            if (!until(crew, () -> crew.atWork().size() > 1)) {
                break;
            }
            int portion = enqueue(jobs, left() / (blowsLeft + 1));
            // Within the first half, so that there is work left to be struck at.
            long wanted = Math.min(ended() + 1 + random.nextInt(Math.max(1, portion / 2)), allEnqueued());
            if (!until(crew, () -> ended() >= wanted) || !strike(jobs, crew, blows.get(n), blowsLeft)) {
                break;
            }
        }
        if (!stop.isStopped()) {
            enqueue(jobs, left());
        }
        until(crew, () -> !crew.isAnyFrozen() && ended() == allEnqueued());
        new Waiting().pause(AFTER);
    }

    /** At one that holds jobs, while another is at work. */
    private boolean strike(Jobs jobs, Crew crew, Blow blow, int blowsLeft) {
        List<String> victims = new ArrayList<>();
        boolean isFound = until(crew, () -> {
            if (tables.alive(owner) == 0) {
                enqueue(jobs, left() / (blowsLeft + 1));
            }
            List<String> atWork = crew.atWork();
            victims.clear();
            victims.addAll(
                    tables.holders(owner).stream().filter(atWork::contains).toList());
            return atWork.size() > 1 && !victims.isEmpty();
        });
        return isFound && strike(crew, victims.get(random.nextInt(victims.size())), blow);
    }

    private boolean strike(Crew crew, String name, Blow blow) {
        switch (blow) {
            case KILL -> crew.kill(name);
            case STOP ->
                crew.freeze(
                        name,
                        config.lease()
                                .plusMillis(random.nextLong(
                                        500, 500 + config.lease().toMillis())));
        }
        strikes++;
        if (strikes % 10 == 0) {
            progress.accept("%d blows, %,d of %,d jobs have ended".formatted(strikes, ended(), config.jobs()));
        }
        return true;
    }

    private int enqueue(Jobs jobs, int count) {
        List<Integer> kinds = IntStream.range(0, count)
                .mapToObj(n -> random.nextInt(SINGLE_IN) == 0 ? 2 : random.nextInt(2))
                .toList();
        jobs.enqueueAll(kinds.stream()
                .map(kind -> NewJob.of(JobTables.KINDS.get(kind), Payload.EMPTY))
                .toList());
        kinds.forEach(kind -> enqueued[kind]++);
        return count;
    }

    private long allEnqueued() {
        return Arrays.stream(enqueued).sum();
    }

    private int left() {
        return Math.toIntExact(config.jobs() - allEnqueued());
    }

    private long ended() {
        return allEnqueued() - tables.alive(owner);
    }

    /** Waits, and lets those go on meanwhile whose time is over. False when no job ends any more, or it is to stop. */
    private boolean until(Crew crew, BooleanSupplier condition) {
        long changedNanos = System.nanoTime();
        long before = -1;
        while (!condition.getAsBoolean()) {
            crew.thaw();
            long now = ended();
            if (now != before) {
                before = now;
                changedNanos = System.nanoTime();
            }
            if (System.nanoTime() - changedNanos > PATIENCE.toNanos()) {
                progress.accept("no job has ended for %d s; %,d of %,d have"
                        .formatted(PATIENCE.toSeconds(), now, allEnqueued()));
                return false;
            }
            if (!stop.pause(LOOK)) {
                return false;
            }
        }
        return true;
    }

    private List<Figure> figures(List<Figure> watched) {
        JobVerdict verdict = new JobVerdict(tables, owner, config.lease());
        List<Figure> figures = new ArrayList<>(List.of(
                Figure.exactly("jobs enqueued", allEnqueued(), config.jobs()),
                Figure.exactly("kills", verdict.strikes(Blow.KILL), config.kills()),
                Figure.exactly("stops", verdict.strikes(Blow.STOP), config.stops()),
                Figure.told("times that a process stood still by itself", (double) verdict.stalls(), null),
                Figure.atLeast("jobs in the hands of those that were struck", (double) verdict.held(), strikes)));
        figures.addAll(verdict.figures(Arrays.stream(enqueued).boxed().toList()));
        figures.addAll(watched);
        return figures;
    }

    private Map<String, Object> settings() {
        return Map.of(
                "jobs", config.jobs(),
                "processes", config.processes(),
                "kills", config.kills(),
                "stops", config.stops(),
                "lease_s", config.lease().toSeconds(),
                "seed", config.seed());
    }
}
