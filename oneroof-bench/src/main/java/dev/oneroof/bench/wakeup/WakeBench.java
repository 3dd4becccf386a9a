package dev.oneroof.bench.wakeup;

import dev.oneroof.bench.Bench;
import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Workshop;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.gate.Gates;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.worker.Waiting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * From the commit of a single event to the handler of a tail, on a system where nothing else happens; beside it a bare
 * loop over LISTEN, which does nothing with what it hears, and the same tail with the bridge off. Then what the bridge
 * costs: as many single-row transactions as many clients can make, with it on and off in turns.
 *
 * <p>The clock starts when COMMIT is sent, for all of them.
 */
public final class WakeBench implements Bench {
    private static final String SCHEMA = "oneroof_bench";
    private static final String DOMAIN = "bench_wake";
    private static final double P50_MILLIS = 5;
    private static final double P99_MILLIS = 25;
    private static final double AT_LEAST = 0.8;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final WakeConfig config;
    private String emit = "";
    private final GateStore gates = new GateStore();
    private final Waiting waiting = new Waiting();

    public WakeBench(WakeConfig config) {
        this.config = config;
    }

    @Override
    public BenchResult run(BenchSite site) throws Exception {
        emit = "SELECT %s.fn_iu_emit_event('%s', 'ping', ?, ?, 'bench', 'bench')"
                .formatted(site.schema().schema().quoted(), DOMAIN);
        try (Workshop workshop = Workshop.open(site, SCHEMA)) {
            boolean wasOpen = workshop.owner().inTx(tx -> gates.isOpen(tx, Gates.WAKE_UPS));
            prepare(workshop);
            try {
                return measured(workshop, site);
            } finally {
                bridge(workshop, wasOpen);
                forget(workshop);
            }
        }
    }

    private BenchResult measured(Workshop workshop, BenchSite site) throws Exception {
        bridge(workshop, true);
        Delays raw = rawListener(workshop);
        Delays woken = tailed(workshop, site, config.events());
        bridge(workshop, false);
        Delays polled = tailed(workshop, site, config.polled());
        List<Double> on = new ArrayList<>();
        List<Double> off = new ArrayList<>();
        emitInTurns(workshop, on, off);
        List<Figure> figures = List.of(
                Figure.exactly("events not handled", woken.missing() + polled.missing() + raw.missing(), 0),
                Figure.atMost("p50 ms from commit to handler", rounded(woken.percentile(0.5)), P50_MILLIS),
                Figure.atMost("p99 ms from commit to handler", rounded(woken.percentile(0.99)), P99_MILLIS),
                Figure.told("p50 ms against a bare LISTEN loop", woken.percentile(0.5), raw.percentile(0.5)),
                Figure.told("p99 ms against a bare LISTEN loop", woken.percentile(0.99), raw.percentile(0.99)),
                Figure.told("p50 ms against polling", woken.percentile(0.5), polled.percentile(0.5)),
                Figure.told("p99 ms against polling", woken.percentile(0.99), polled.percentile(0.99)),
                Figure.ratioAtLeast("emitted a second with the bridge on", median(on), median(off), AT_LEAST));
        return BenchResult.of(
                "wake",
                Map.of("events", config.events(), "clients", config.clients(), "rounds", config.rounds()),
                figures);
    }

    private void prepare(Workshop workshop) {
        workshop.owner().useTx(tx -> {
            tx.query(
                            "SELECT oneroof.fn_event_type_register(:domain, 'ping', 'event', 'normal', 'info', 'a bench', 'bench')")
                    .bind("domain", DOMAIN)
                    .mapTo(Boolean.class)
                    .one();
            tx.query("SELECT oneroof.fn_event_type_activate(:domain, 'ping', 'bench', 'a bench')")
                    .bind("domain", DOMAIN)
                    .mapTo(Boolean.class)
                    .one();
        });
    }

    private static void forget(Workshop workshop) {
        workshop.run(
                "DELETE FROM oneroof.event_outbox WHERE event_domain = '%s'".formatted(DOMAIN),
                "DELETE FROM oneroof.event_type_registry WHERE event_domain = '%s'".formatted(DOMAIN),
                "DELETE FROM oneroof.event_type_audit WHERE event_domain = '%s'".formatted(DOMAIN));
    }

    private void bridge(Workshop workshop, boolean open) {
        workshop.owner().useTx(tx -> {
            if (open) {
                gates.open(tx, Gates.WAKE_UPS, "bench", "a bench");
            } else {
                gates.close(tx, Gates.WAKE_UPS, "bench", "a bench");
            }
        });
    }

    private Delays tailed(Workshop workshop, BenchSite site, int events) throws Exception {
        Delays delays = new Delays(events);
        TailSource source = TailSource.of(
                        workshop.sourceName("bench-wake"),
                        site.schema().schema().value(),
                        "event_outbox",
                        "id",
                        IdType.UUID)
                .timedBy("created_at", TimeType.TIMESTAMPTZ)
                .where("event_domain = '%s' AND event_subject_table = '%s'".formatted(DOMAIN, "timed"));
        workshop.run("DELETE FROM oneroof.event_outbox WHERE event_domain = '%s'".formatted(DOMAIN));
        try (OneRoof oneroof = workshop.runtime()) {
            workshop.register(oneroof, source);
            oneroof.tail(Workshop.WORKER, source.name())
                    .reading("event_subject_ref")
                    .eachRow((tx, row) -> delays.came(Integer.parseInt(row.string("event_subject_ref"))));
            oneroof.start();
            awaitHeard(workshop, source);
            emitTimed(workshop, delays, events);
        }
        return delays;
    }

    /** Until the tail has begun and the listener, where there is one to be, hears itself. */
    private void awaitHeard(Workshop workshop, TailSource source) {
        String ready = """
                SELECT count(*) > 0
                FROM oneroof.queue_heartbeat h
                JOIN oneroof.queue_heartbeat i ON i.executor_name = 'instance/' || h.lease_owner
                WHERE h.executor_name = :executor AND h.ticks_total > 1
                  AND i.last_beat_payload ->> 'wake_ups' = 'listening'
                """;
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            boolean is = workshop.owner()
                    .inTx(tx -> tx.query(ready)
                            .bind("executor", "%s/%s/0".formatted(Workshop.WORKER, source.name()))
                            .mapTo(Boolean.class)
                            .one());
            if (is) {
                return;
            }
            waiting.pause(Duration.ofMillis(100));
        }
        throw new IllegalStateException("nobody listens");
    }

    private Delays rawListener(Workshop workshop) throws Exception {
        Delays delays = new Delays(config.events());
        try (RawListener listener = new RawListener(workshop.connect(), "queue_wake_" + DOMAIN);
                Connection emitter = workshop.connect()) {
            emitter.setAutoCommit(false);
            for (int event = 0; event < config.events(); event++) {
                listener.expect(delays, event);
                emitOne(emitter, delays, event);
                rest(delays, event);
            }
        }
        return delays;
    }

    private void emitTimed(Workshop workshop, Delays delays, int events) throws SQLException {
        try (Connection emitter = workshop.connect()) {
            emitter.setAutoCommit(false);
            for (int event = 0; event < events; event++) {
                emitOne(emitter, delays, event);
                rest(delays, event);
            }
        }
    }

    private void emitOne(Connection emitter, Delays delays, int event) throws SQLException {
        try (PreparedStatement statement = emitter.prepareStatement(emit)) {
            statement.setString(1, "timed");
            statement.setString(2, Integer.toString(event));
            statement.execute();
        }
        delays.sent(event);
        emitter.commit();
    }

    /** Until it has come; then long enough for everything to have gone to sleep again. */
    private void rest(Delays delays, int event) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!delays.hasCome(event) && System.nanoTime() < end) {
            waiting.pause(Duration.ofMillis(1));
        }
        waiting.pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(200, 400)));
    }

    private void emitInTurns(Workshop workshop, List<Double> on, List<Double> off) throws Exception {
        try (Connection listener = workshop.connect()) {
            try (Statement statement = listener.createStatement()) {
                statement.execute("LISTEN queue_wake_" + DOMAIN);
            }
            emitted(workshop);
            for (int round = 0; round < config.rounds(); round++) {
                bridge(workshop, false);
                off.add(emitted(workshop));
                bridge(workshop, true);
                on.add(emitted(workshop));
            }
        }
    }

    /** Events a second, one to a transaction. */
    private double emitted(Workshop workshop) throws Exception {
        AtomicLong count = new AtomicLong();
        List<Thread> clients = new ArrayList<>();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        long begun = System.nanoTime();
        long end = begun + config.round().toNanos();
        for (int client = 0; client < config.clients(); client++) {
            clients.add(Thread.ofPlatform().name("bench-emitter-" + client).start(() -> {
                try (Connection connection = workshop.connect();
                        PreparedStatement statement = connection.prepareStatement(emit)) {
                    statement.setString(1, "counted");
                    statement.setString(2, "1");
                    while (System.nanoTime() < end) {
                        statement.execute();
                        count.incrementAndGet();
                    }
                } catch (SQLException e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread client : clients) {
            client.join();
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException("an emitter failed", failures.getFirst());
        }
        return count.get() * 1e9 / (System.nanoTime() - begun);
    }

    private static double median(List<Double> rates) {
        List<Double> sorted = rates.stream().sorted().toList();
        return sorted.isEmpty() ? Double.NaN : sorted.get(sorted.size() / 2);
    }

    private static double rounded(double millis) {
        return Math.round(millis * 100) / 100.0;
    }
}
