package dev.oneroof.bench.wakeup;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Turns;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * From the commit of a single job to its handler, on a system where nothing else happens: enqueued by somebody else, with
 * the bridge open. In turn with it, a bare loop over LISTEN that hears of the same enqueues and does nothing with them, by the
 * driver as it comes; and, to be told, one whose connection answers the driver's last look at once, as OneRoof's own does. All
 * of them are warmed up. The clock starts when COMMIT is sent. Each turn has its percentiles, and their medians are compared.
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
        List<Turn> turns = new ArrayList<>();
        new Jobs(workshop.pooled()).register(KIND, "bench");
        for (int turn = 0; turn < config.turns(); turn++) {
            int warmUp = turn == 0 ? config.warmUp() : config.warmUp() / 5;
            turns.add(turn(workshop, enqueue, warmUp));
        }
        return BenchResult.of(
                "pickup",
                Map.of("jobs", config.jobs(), "turns", config.turns()),
                List.of(
                        Figure.exactly(
                                "jobs not begun",
                                turns.stream().mapToLong(Turn::missing).sum(),
                                0),
                        atMost("p50 ms from commit to handler, against a bare LISTEN loop", turns, 0.5),
                        atMost("p99 ms from commit to handler, against a bare LISTEN loop", turns, 0.99),
                        told(
                                "p50 ms, against one without the driver's last look",
                                turns,
                                Turn::woken,
                                Turn::quick,
                                0.5),
                        told(
                                "p99 ms, against one without the driver's last look",
                                turns,
                                Turn::woken,
                                Turn::quick,
                                0.99),
                        Figure.ratioAtMost(
                                "p50 ms from enqueue to handler in the worker's own process, against another's",
                                median(turns, Turn::own, 0.5),
                                median(turns, Turn::others, 0.5),
                                SOONER),
                        told(
                                "p99 ms from enqueue to handler in the worker's own process, against another's",
                                turns,
                                Turn::own,
                                Turn::others,
                                0.99)));
    }

    /**
     * One turn of each.
     *
     * @param raw heard by the bare loop
     * @param quick heard by one without the driver's last look
     * @param woken begun by the worker, from the commit of somebody else
     * @param others the same, from before the enqueue
     * @param own begun by the worker, from before an enqueue in its own process
     */
    private record Turn(Delays raw, Delays quick, Delays woken, Delays others, Delays own) {
        Turn(int jobs) {
            this(new Delays(jobs), new Delays(jobs), new Delays(jobs), new Delays(jobs), new Delays(jobs));
        }

        long missing() {
            return raw.missing() + quick.missing() + woken.missing() + own.missing();
        }
    }

    private Turn turn(Workshop workshop, String enqueue, int warmUp) throws Exception {
        Turn turn = new Turn(config.jobsInTurn());
        listened(workshop, workshop.connect(), enqueue, turn.raw(), warmUp);
        worked(workshop, enqueue, turn, warmUp);
        listened(workshop, workshop.connectQuickly(), enqueue, turn.quick(), warmUp);
        return turn;
    }

    private static Figure atMost(String name, List<Turn> turns, double share) {
        return Figure.ratioAtMost(name, median(turns, Turn::woken, share), median(turns, Turn::raw, share), AT_MOST);
    }

    private static Figure told(
            String name, List<Turn> turns, Function<Turn, Delays> one, Function<Turn, Delays> other, double share) {
        return Figure.told(name, median(turns, one, share), median(turns, other, share));
    }

    private static double median(List<Turn> turns, Function<Turn, Delays> of, double share) {
        return Turns.median(
                turns.stream().map(turn -> of.apply(turn).percentile(share)).toList());
    }

    /** The same enqueues, heard by somebody who does nothing with them. */
    private void listened(Workshop workshop, Connection connection, String enqueue, Delays delays, int warmUp)
            throws Exception {
        try (RawListener listener = new RawListener(connection, "queue_wake_bench_pickup");
                Connection emitter = workshop.connect()) {
            emitter.setAutoCommit(false);
            warmUp(emitter, enqueue, listener, warmUp / 2);
            rest();
            for (int n = 0; n < config.jobsInTurn(); n++) {
                listener.expect(delays, n);
                emit(emitter, enqueue, delays, n);
            }
        }
        workshop.run("DELETE FROM oneroof.job_queue WHERE job_kind = 'bench_pickup'");
    }

    /** As many as the worker has from somebody else: it has as many again of its own. */
    private void warmUp(Connection emitter, String enqueue, RawListener listener, int jobs) throws SQLException {
        Delays warm = new Delays(jobs);
        for (int n = 0; n < jobs; n++) {
            listener.expect(warm, n);
            send(emitter, enqueue, warm, n, config.jobsInTurn() + n);
            awaitApart(warm, n);
        }
    }

    private void worked(Workshop workshop, String enqueue, Turn turn, int warmUp) throws Exception {
        Delays warm = new Delays(warmUp);
        int jobs = config.jobsInTurn();
        try (OneRoof oneroof = workshop.runtime();
                Connection emitter = workshop.connect()) {
            oneroof.work(KIND).each(job -> {
                int no = Integer.parseInt(job.payload().replaceAll("[^0-9]", ""));
                if (job.payload().contains("own")) {
                    turn.own().came(no);
                } else if (no < jobs) {
                    turn.woken().came(no);
                    turn.others().came(no);
                } else {
                    warm.came(no - jobs);
                }
                return Outcome.done();
            });
            oneroof.start();
            awaitHeard(workshop);
            emitter.setAutoCommit(false);
            warmUp(emitter, enqueue, oneroof, warm, warmUp);
            rest();
            for (int n = 0; n < jobs; n++) {
                turn.others().sent(n);
                emit(emitter, enqueue, turn.woken(), n);
                turn.own().sent(n);
                oneroof.jobs().enqueue(NewJob.of("bench_pickup", Payload.of(Map.of("own", n))));
                rest(turn.own(), n);
            }
        }
    }

    /** A process that has run for a while, and not one that has just begun. */
    private void warmUp(Connection emitter, String enqueue, OneRoof oneroof, Delays warm, int jobs)
            throws SQLException {
        for (int n = 0; n < jobs; n++) {
            int told = config.jobsInTurn() + n;
            if (n % 2 == 0) {
                send(emitter, enqueue, warm, n, told);
            } else {
                oneroof.jobs().enqueue(NewJob.of("bench_pickup", Payload.of(Map.of("no", told))));
            }
            awaitApart(warm, n);
        }
    }

    /** Or the next one would wake nobody, and be found in another way than those that are measured. */
    private void awaitApart(Delays delays, int n) {
        await(delays, n);
        waiting.pause(APART);
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

    private void rest(Delays delays, int n) {
        await(delays, n);
        rest();
    }

    /** Long enough for everything to have gone to sleep again. */
    private void rest() {
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
