package dev.oneroof.bench.wakeup;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Workshop;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.job.JobKind;
import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.job.NewJob;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.signal.Payload;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Tx;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * From the commit of a single job to its handler, on a system where nothing else happens: enqueued by somebody else, with
 * the bridge open. Beside it, before and after, a bare loop over LISTEN that hears of the same enqueues and does nothing with
 * them. All of them are warmed up by as many enqueues. The clock starts when COMMIT is sent.
 *
 * <p>And from the beginning of an enqueue to the handler: in the worker's own process, which needs no notification, against
 * those of somebody else.
 */
public final class PickupBench implements Bench {
    private static final String SCHEMA = "oneroof_bench";
    private static final JobKind KIND = JobKind.named("bench_pickup").in("bench_pickup");
    private static final double AT_MOST = 1.3;
    private static final double SOONER = 1.0;
    /** Two wake-ups of a domain within five milliseconds are one. */
    private static final Duration APART = Duration.ofMillis(6);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final PickupConfig config;
    private final GateStore gates = new GateStore();
    private final Waiting waiting = new Waiting();

    public PickupBench(PickupConfig config) {
        this.config = config;
    }

    @Override
    public BenchResult run(BenchSite site) throws Exception {
        try (Workshop workshop = Workshop.open(site, SCHEMA)) {
            boolean jobs = workshop.owner().inTx(tx -> gates.isOpen(tx, Gates.JOBS));
            boolean bridge = workshop.owner().inTx(tx -> gates.isOpen(tx, Gates.WAKE_UPS));
            set(workshop, true, true);
            try {
                return measured(workshop, site);
            } finally {
                set(workshop, jobs, bridge);
                workshop.run(
                        "DELETE FROM oneroof.job_queue WHERE job_kind = 'bench_pickup'",
                        "DELETE FROM oneroof.job_history WHERE job_kind = 'bench_pickup'",
                        "DELETE FROM oneroof.job_kind WHERE job_kind = 'bench_pickup'");
            }
        }
    }

    private void set(Workshop workshop, boolean jobs, boolean bridge) {
        workshop.owner().useTx(tx -> {
            set(tx, Gates.JOBS, jobs);
            set(tx, Gates.WAKE_UPS, bridge);
        });
    }

    private void set(Tx tx, String gate, boolean open) {
        if (open) {
            gates.open(tx, gate, "bench", "a bench");
        } else {
            gates.close(tx, gate, "bench", "a bench");
        }
    }

    private BenchResult measured(Workshop workshop, BenchSite site) throws Exception {
        String enqueue = "SELECT %s.fn_job_enqueue('bench_pickup', jsonb_build_object('no', ?::integer))"
                .formatted(site.schema().schema().quoted());
        Delays raw = new Delays(config.jobs());
        Delays woken = new Delays(config.jobs());
        Delays others = new Delays(config.jobs());
        Delays own = new Delays(config.jobs());
        new Jobs(workshop.pooled()).register(KIND, "bench");
        // Half of the reference before, and half after: whatever else the machine does meets both.
        listened(workshop, enqueue, raw, 0, config.jobs() / 2);
        worked(workshop, enqueue, woken, others, own);
        listened(workshop, enqueue, raw, config.jobs() / 2, config.jobs());
        return BenchResult.of(
                "pickup",
                Map.of("jobs", config.jobs()),
                List.of(
                        Figure.exactly("jobs not begun", raw.missing() + woken.missing() + own.missing(), 0),
                        ratio("p50 ms from commit to handler, against a bare LISTEN loop", woken, raw, 0.5),
                        ratio("p99 ms from commit to handler, against a bare LISTEN loop", woken, raw, 0.99),
                        Figure.ratioAtMost(
                                "p50 ms from enqueue to handler in the worker's own process, against another's",
                                own.percentile(0.5),
                                others.percentile(0.5),
                                SOONER),
                        Figure.told(
                                "p99 ms from enqueue to handler in the worker's own process, against another's",
                                own.percentile(0.99),
                                others.percentile(0.99))));
    }

    /** The same enqueues, heard by somebody who does nothing with them. */
    private void listened(Workshop workshop, String enqueue, Delays raw, int from, int to) throws Exception {
        try (RawListener listener = new RawListener(workshop.connect(), "queue_wake_bench_pickup");
                Connection emitter = workshop.connect()) {
            emitter.setAutoCommit(false);
            warmUp(emitter, enqueue, listener);
            for (int n = from; n < to; n++) {
                listener.expect(raw, n);
                emit(emitter, enqueue, raw, n);
            }
        }
        workshop.run("DELETE FROM oneroof.job_queue WHERE job_kind = 'bench_pickup'");
    }

    /** As many as the worker has from somebody else: it has as many again of its own. */
    private void warmUp(Connection emitter, String enqueue, RawListener listener) throws SQLException {
        Delays warm = new Delays(config.warmUp() / 2);
        for (int n = 0; n < config.warmUp() / 2; n++) {
            listener.expect(warm, n);
            send(emitter, enqueue, warm, n, config.jobs() + n);
            await(warm, n);
            waiting.pause(APART);
        }
    }

    private void worked(Workshop workshop, String enqueue, Delays woken, Delays others, Delays own) throws Exception {
        Delays warm = new Delays(config.warmUp());
        try (OneRoof oneroof = workshop.runtime();
                Connection emitter = workshop.connect()) {
            oneroof.work(KIND).each(job -> {
                int no = Integer.parseInt(job.payload().replaceAll("[^0-9]", ""));
                if (job.payload().contains("own")) {
                    own.came(no);
                } else if (no < config.jobs()) {
                    woken.came(no);
                    others.came(no);
                } else {
                    warm.came(no - config.jobs());
                }
                return Outcome.done();
            });
            oneroof.start();
            awaitHeard(workshop);
            emitter.setAutoCommit(false);
            warmUp(emitter, enqueue, oneroof, warm);
            for (int n = 0; n < config.jobs(); n++) {
                others.sent(n);
                emit(emitter, enqueue, woken, n);
                own.sent(n);
                oneroof.jobs().enqueue(NewJob.of("bench_pickup", Payload.of(Map.of("own", n))));
                rest(own, n);
            }
        }
    }

    /** A process that has run for a while, and not one that has just begun. */
    private void warmUp(Connection emitter, String enqueue, OneRoof oneroof, Delays warm) throws SQLException {
        for (int n = 0; n < config.warmUp(); n++) {
            if (n % 2 == 0) {
                send(emitter, enqueue, warm, n, config.jobs() + n);
            } else {
                oneroof.jobs().enqueue(NewJob.of("bench_pickup", Payload.of(Map.of("no", config.jobs() + n))));
            }
            await(warm, n);
        }
    }

    private static Figure ratio(String name, Delays measured, Delays reference, double share) {
        return Figure.ratioAtMost(name, measured.percentile(share), reference.percentile(share), AT_MOST);
    }

    private void emit(Connection emitter, String sql, Delays delays, int n) throws SQLException {
        send(emitter, sql, delays, n, n);
        rest(delays, n);
    }

    private static void send(Connection emitter, String sql, Delays delays, int n, int told) throws SQLException {
        try (PreparedStatement statement = emitter.prepareStatement(sql)) {
            statement.setInt(1, told);
            statement.execute();
        }
        delays.sent(n);
        emitter.commit();
    }

    /** Until it has come; then long enough for everything to have gone to sleep again. */
    private void rest(Delays delays, int n) {
        await(delays, n);
        waiting.pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(60, 160)));
    }

    private void await(Delays delays, int n) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!delays.hasCome(n) && System.nanoTime() < end) {
            waiting.pause(Duration.ofMillis(1));
        }
    }

    private void awaitHeard(Workshop workshop) {
        String ready = """
                SELECT count(*) > 0
                FROM oneroof.queue_heartbeat h
                JOIN oneroof.queue_heartbeat i ON i.executor_name = 'instance/' || h.lease_owner
                WHERE h.executor_name LIKE 'jobs/bench-%' AND h.ticks_total > 0
                  AND i.last_beat_payload ->> 'wake_ups' = 'listening'
                """;
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            if (workshop.owner().inTx(tx -> tx.query(ready).mapTo(Boolean.class).one())) {
                return;
            }
            waiting.pause(Duration.ofMillis(100));
        }
        throw new IllegalStateException("nobody listens");
    }
}
