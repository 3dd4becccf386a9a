package dev.oneroof.bench.jobspeed;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Turns;
import dev.oneroof.bench.Workshop;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.job.JobId;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.Waiting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Jobs that do nothing: how fast they are drained and enqueued, against a bare table; and what ended jobs that are kept, an
 * open snapshot, and jobs of another kind or for later cost, each against a drain without them in the same run.
 *
 * <p>A drain is timed by the database, from the first lease to the last end. Whatever did not end well in any of them is
 * counted, and no figure holds unless that is none.
 */
public final class JobsBench implements Bench {
    private static final String SCHEMA = "oneroof_bench";
    private static final JobKind KIND = JobKind.named("bench_noop");
    private static final JobKind OTHER = JobKind.named("bench_other");
    private static final int AT_ONCE = 64;
    private static final int WARM_UPS = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final String DRAINED = """
            SELECT count(*) AS ended,
                   count(*) / extract(epoch FROM max(finished_at) - min(leased_at))::float8 AS rate
            FROM oneroof.job_history
            WHERE job_kind = 'bench_noop' AND run_id = :run AND state = 'succeeded'
            """;

    private static final String PLAIN = """
            INSERT INTO oneroof.job_queue
                (job_id, job_kind, event_domain, state, priority, scheduled_at, order_at, enqueued_at, max_attempts, payload)
            SELECT g.id, 'bench_noop', 'system', 'queued', 0, now(), now(), now(), 10, g.payload
            FROM unnest(?::uuid[], ?::jsonb[]) g (id, payload)
            """;

    private static final String IN_FRONT = """
            INSERT INTO oneroof.job_queue
                (job_id, job_kind, event_domain, state, priority, scheduled_at, order_at, enqueued_at, max_attempts, payload)
            SELECT oneroof.fn_uuid_v7(), k.kind, 'system', k.state, 0, k.at, k.at, now(), 10, '{}'
            FROM (VALUES ('bench_other', 'queued', now() - interval '1 hour'),
                         ('bench_noop', 'scheduled', now() + interval '1 hour')) k (kind, state, at)
            CROSS JOIN generate_series(1, %d)
            """;

    private static final String KEPT = """
            INSERT INTO oneroof.job_history
                (job_id, job_kind, event_domain, state, priority, scheduled_at, enqueued_at, attempts, max_attempts, finished_at,
                 payload)
            SELECT oneroof.fn_uuid_v7(), 'bench_other', 'system', 'succeeded', 0, now(), now(), 1, 10, now(), '{"no": 1}'
            FROM generate_series(1, %d)
            """;

    private final JobsConfig config;
    private final GateStore gates = new GateStore();
    private final Waiting waiting = new Waiting();
    private long missing;

    public JobsBench(JobsConfig config) {
        this.config = config;
    }

    @Override
    public BenchResult run(BenchSite site) throws Exception {
        try (Workshop workshop = Workshop.open(site, SCHEMA)) {
            boolean wasOpen = workshop.owner().inTx(tx -> gates.isOpen(tx, Gates.JOBS));
            Jobs jobs = new Jobs(workshop.pooled());
            jobs.register(KIND, "bench");
            jobs.register(OTHER, "bench");
            try {
                workshop.owner().useTx(tx -> gates.open(tx, Gates.JOBS, "bench", "a bench"));
                return measured(workshop, site, jobs);
            } finally {
                if (!wasOpen) {
                    workshop.owner().useTx(tx -> gates.close(tx, Gates.JOBS, "bench", "a bench"));
                }
                clear(workshop);
                workshop.run("DELETE FROM oneroof.job_kind WHERE job_kind IN ('bench_noop', 'bench_other')");
            }
        }
    }

    private BenchResult measured(Workshop workshop, BenchSite site, Jobs jobs) throws Exception {
        List<Figure> figures = new ArrayList<>();
        // The first of everything is slow, and counts for nothing: a process that does jobs has run for a while.
        for (int round = 0; round < WARM_UPS; round++) {
            drained(workshop, jobs, config.jobs());
        }
        for (JobsConfig.Part part : config.parts()) {
            clear(workshop);
            figures.add(
                    switch (part) {
                        case DRAIN -> drain(workshop, jobs);
                        case ENQUEUE -> enqueue(workshop, site, jobs);
                        case FRONT -> front(workshop, jobs);
                        case SNAPSHOT -> snapshot(workshop, jobs);
                        case KEPT -> kept(workshop, jobs);
                    });
        }
        figures.add(Figure.exactly("jobs that did not end well", missing, 0));
        return BenchResult.of(
                "jobs",
                Map.of(
                        "jobs",
                        config.jobs(),
                        "rounds",
                        config.rounds(),
                        "kept",
                        config.kept(),
                        "before",
                        config.before(),
                        "front",
                        config.front()),
                figures);
    }

    private Figure drain(Workshop workshop, Jobs jobs) throws Exception {
        BareQueue bare = new BareQueue(workshop);
        bare.create();
        for (int round = 0; round < WARM_UPS; round++) {
            bare.drained(config.jobs());
        }
        return ratio(
                "drained a second, against a bare table",
                Turns.take(config.rounds(), () -> bare.drained(config.jobs()), () -> fresh(workshop, jobs)),
                0.7);
    }

    private Figure enqueue(Workshop workshop, BenchSite site, Jobs jobs) throws Exception {
        enqueued(workshop, jobs);
        plain(workshop, site);
        return ratio(
                "enqueued a second, against one plain INSERT",
                Turns.take(config.rounds(), () -> plain(workshop, site), () -> enqueued(workshop, jobs)),
                0.7);
    }

    private Figure front(Workshop workshop, Jobs jobs) throws Exception {
        Turns turns = Turns.take(config.rounds(), () -> fresh(workshop, jobs), () -> {
            clear(workshop);
            workshop.run(IN_FRONT.formatted(config.front()));
            workshop.vacuum("oneroof.job_queue");
            return drained(workshop, jobs, config.jobs());
        });
        return ratio("drained a second behind another kind and jobs for later, against without", turns, 0.9);
    }

    private Figure snapshot(Workshop workshop, Jobs jobs) throws Exception {
        Turns turns = Turns.take(config.rounds(), () -> fresh(workshop, jobs), () -> underSnapshot(workshop, jobs));
        return ratio("drained a second under an open snapshot, against fresh", turns, 0.7);
    }

    /** Not in turns: they take long to make. Half of the reference comes before, and half after they are gone again. */
    private Figure kept(Workshop workshop, Jobs jobs) throws Exception {
        List<Double> without = new ArrayList<>();
        List<Double> beside = new ArrayList<>();
        for (int round = 0; round < config.rounds() / 2; round++) {
            without.add(fresh(workshop, jobs));
        }
        clear(workshop);
        workshop.run(KEPT.formatted(config.kept()));
        workshop.vacuum("oneroof.job_history");
        for (int round = 0; round < config.rounds(); round++) {
            beside.add(drained(workshop, jobs, config.jobs()));
        }
        for (int round = config.rounds() / 2; round < config.rounds(); round++) {
            without.add(fresh(workshop, jobs));
        }
        return ratio("drained a second with ended jobs kept, against without", new Turns(without, beside), 0.9);
    }

    private static Figure ratio(String name, Turns turns, double bound) {
        return Figure.ratioAtLeast(name, turns.candidateMedian(), turns.referenceMedian(), bound);
    }

    private double fresh(Workshop workshop, Jobs jobs) throws Exception {
        clear(workshop);
        return drained(workshop, jobs, config.jobs());
    }

    /** Jobs a second, by a process of two cores or more like any other. */
    private double drained(Workshop workshop, Jobs jobs, int count) throws Exception {
        workshop.settle();
        UUID run = UUID.randomUUID();
        jobs.enqueueAll(newJobs(count).stream().map(job -> job.partOf(run)).toList());
        AtomicLong handled = new AtomicLong();
        try (OneRoof oneroof = workshop.runtime()) {
            oneroof.work(KIND).atOnce(AT_ONCE).each(job -> {
                handled.incrementAndGet();
                return Outcome.done();
            });
            oneroof.start();
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (handled.get() < count && System.nanoTime() < end) {
                waiting.pause(Duration.ofMillis(5));
            }
        }
        Drained drained = workshop.owner()
                .inTx(tx -> tx.query(DRAINED)
                        .bind("run", run)
                        .map((row, context) -> new Drained(row.getLong("ended"), row.getDouble("rate")))
                        .one());
        missing += Math.abs(count - drained.ended());
        return drained.rate();
    }

    private record Drained(long ended, double rate) {}

    private double underSnapshot(Workshop workshop, Jobs jobs) throws Exception {
        clear(workshop);
        try (Connection holder = workshop.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            statement.execute("SELECT count(*) FROM pg_class");
            for (int done = 0; done < config.before(); done += config.jobs()) {
                drained(workshop, jobs, config.jobs());
            }
            double rate = drained(workshop, jobs, config.jobs());
            holder.rollback();
            return rate;
        }
    }

    private double enqueued(Workshop workshop, Jobs jobs) throws Exception {
        clear(workshop);
        workshop.settle();
        List<NewJob> all = newJobs(config.jobs());
        long begun = System.nanoTime();
        jobs.enqueueAll(all);
        return config.jobs() * 1e9 / (System.nanoTime() - begun);
    }

    /** By a connection that is kept, as the candidate's is. */
    private double plain(Workshop workshop, BenchSite site) throws Exception {
        clear(workshop);
        workshop.settle();
        List<NewJob> all = newJobs(config.jobs());
        long begun = System.nanoTime();
        workshop.kept().useTx(tx -> insertPlainly(tx.connection(), site, all));
        return config.jobs() * 1e9 / (System.nanoTime() - begun);
    }

    private static void insertPlainly(Connection connection, BenchSite site, List<NewJob> all) {
        try (PreparedStatement insert = connection.prepareStatement(
                PLAIN.replace("oneroof.", site.schema().schema().quoted() + "."))) {
            insert.setArray(
                    1,
                    connection.createArrayOf(
                            "uuid",
                            all.stream().map(job -> JobId.create().value()).toArray()));
            insert.setArray(
                    2,
                    connection.createArrayOf(
                            "text",
                            all.stream().map(job -> job.payload().json()).toArray()));
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("the reference failed", e);
        }
    }

    private static List<NewJob> newJobs(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(n -> NewJob.of("bench_noop", new Payload("{\"no\": " + n + "}")))
                .toList();
    }

    /** As if no job had ever been there; no other jobs are touched. */
    private static void clear(Workshop workshop) {
        workshop.run(
                "DELETE FROM oneroof.job_queue WHERE job_kind IN ('bench_noop', 'bench_other')",
                "DELETE FROM oneroof.job_history WHERE job_kind IN ('bench_noop', 'bench_other')");
        try {
            workshop.vacuum("oneroof.job_queue");
            workshop.vacuum("oneroof.job_history");
        } catch (SQLException e) {
            throw new IllegalStateException("could not tidy up", e);
        }
    }
}
