package dev.oneroof.core.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Cursors;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Notifications;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OneRoofTest
class WorkerLoopTest {
    private static final Scope SCOPE = Scope.of("looper", "nothing");
    private static final String GATE = "governance.gov_backfill_sweep.enabled";
    private static final String OTHER_GATE = "queue.replay.enabled";
    private static final LoopConfig QUICK =
            new LoopConfig(Duration.ofSeconds(2), Duration.ofMillis(20), Duration.ofMillis(20), Duration.ofMillis(50));

    private TestDatabase database;
    private Database db;

    @BeforeEach
    void openGate(TestDatabase database) {
        this.database = database;
        db = new Database(database.dataSource(), SchemaName.DEFAULT);
        db.useTx(tx -> new GateStore().open(tx, GATE, "test", "to run"));
    }

    @Test
    void makesPassesUntilItIsStoppedAndGivesTheLeaseBack() {
        Probe probe = new Probe(lease -> new Pass.Worked(1));

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("three passes", () -> probe.passes.size() >= 3);
        }

        assertThat(heartbeat("lease_owner IS NULL")).isTrue();
    }

    @Test
    void beatsWithoutWorkingWhileItsGateIsClosed() {
        database.run("UPDATE oneroof.dot_config SET value = 'false' WHERE key = ?", GATE);
        Probe probe = new Probe(lease -> new Pass.Worked(1));

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("beats", () -> heartbeat("ticks_total >= 3"));
            assertThat(probe.passes).isEmpty();
            assertThat(heartbeat("last_beat_payload ->> 'reason' LIKE 'gate " + GATE + " is closed%'"))
                    .isTrue();

            database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = ?", GATE);
            Await.patiently().until("a pass", () -> !probe.passes.isEmpty());
        }
    }

    /** It has no cursor: a pause belongs to the scope. */
    @Test
    void makesNoPassWhilePausedAndContinuesAfterwards() {
        Probe probe = new Probe(lease -> new Pass.Idle(Duration.ofDays(1)));

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("a beat", () -> heartbeat("last_beat_payload ->> 'doing' = 'quiet'"));
            Cursors cursors = new Cursors(db);
            cursors.pause(cursors.pausable("looper"), new OperatorAct("ann", "a look"), null);

            Await.patiently()
                    .until(
                            "a beat that says so",
                            () -> heartbeat("last_beat_payload ->> 'doing' = 'held'"
                                    + " AND last_beat_payload ->> 'reason' = 'paused by ann: a look'"));
            assertThat(probe.paused).containsOnly("paused by ann: a look");
            assertThat(probe.passes).hasSize(1);

            assertThat(cursors.resume(SCOPE, new OperatorAct("ann", "enough"))).isTrue();
            Await.patiently().until("a pass", () -> probe.passes.size() == 2);
        }
    }

    @Test
    void endsAPauseWhoseTimeIsOver() {
        Probe probe = new Probe(lease -> new Pass.Idle(Duration.ofMillis(10)));
        db.useTx(tx -> new PauseStore().pause(tx, SCOPE, new OperatorAct("ann", "a look"), Duration.ofMillis(500)));

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("a pause", () -> !probe.paused.isEmpty());
            Await.patiently().until("a pass", () -> !probe.passes.isEmpty());
        }
    }

    @Test
    void makesNoPassUnlessAllItsGatesAreOpen() {
        Probe probe = new Probe(lease -> new Pass.Worked(1));
        probe.gates = Set.of(GATE, OTHER_GATE);

        try (Workers workers = workers("a", probe)) {
            Await.patiently()
                    .until(
                            "a beat",
                            () -> heartbeat("last_beat_payload ->> 'reason' = 'gate " + OTHER_GATE + " is closed'"));
            assertThat(probe.passes).isEmpty();

            db.useTx(tx -> new GateStore().open(tx, OTHER_GATE, "test", "to run"));
            Await.patiently().until("a pass", () -> !probe.passes.isEmpty());
        }
    }

    @Test
    void reportsHowMuchItProcessedSinceTheLastBeat() {
        Probe probe = new Probe(lease -> new Pass.CaughtUp(7, Duration.ofDays(1)));

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("a beat", () -> heartbeat("last_beat_payload ->> 'reason' = 'processed 7 rows'"));
        }
    }

    @Test
    void beatsThroughARestThatIsLongerThanItsLease() {
        Probe probe = new Probe(lease -> new Pass.Idle(Duration.ofDays(1)));

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("beats", () -> heartbeat("ticks_total >= 4 AND lease_until > now()"));
        }

        assertThat(probe.passes).hasSize(1);
    }

    @Test
    void claimsAgainWhatItLostDuringALongRest() {
        Probe probe = new Probe(lease -> new Pass.Idle(Duration.ofDays(1)));

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("a beat", () -> heartbeat("ticks_total >= 1"));
            database.run("UPDATE oneroof.queue_heartbeat SET lease_owner = 'b', lease_until = now() - interval '1 s',"
                    + " lease_epoch = nextval('oneroof.lease_epoch_seq') WHERE executor_name LIKE 'looper/%'");

            Await.patiently().until("a pass under an epoch of its own", () -> probe.epochs() == 2);
            assertThat(heartbeat("lease_owner = 'a'")).isTrue();
        }
    }

    @Test
    void seesThatItsGateWasClosedDuringALongRest() {
        Probe probe = new Probe(lease -> new Pass.Idle(Duration.ofDays(1)));

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("a beat", () -> heartbeat("last_beat_payload ->> 'doing' = 'quiet'"));
            database.run("UPDATE oneroof.dot_config SET value = 'false' WHERE key = ?", GATE);

            Await.patiently()
                    .until(
                            "a beat that says so",
                            () -> heartbeat("last_beat_payload ->> 'reason' LIKE 'gate " + GATE + " is closed%'"));
        }

        assertThat(probe.passes).hasSize(1);
    }

    @Test
    void takesNoScopeBeforeItIsNeeded() {
        Probe probe = new Probe(lease -> new Pass.Worked(1));
        probe.needed = false;

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("it to be asked twice", () -> probe.asked.get() >= 2);
            assertThat(database.value(
                            Long.class,
                            "SELECT count(*) FROM oneroof.queue_heartbeat WHERE executor_name LIKE 'looper/%'"))
                    .isZero();

            probe.needed = true;
            Await.patiently().until("a pass", () -> !probe.passes.isEmpty());
        }
    }

    /** Of every beat an entry, since the row itself only has the last. */
    @Test
    void renewsALongPassNoOftenerThanItBeats() {
        database.run("CREATE TABLE beat (no integer GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL)");
        database.run("CREATE FUNCTION note_beat() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$BEGIN INSERT INTO public.beat (at) VALUES (NEW.last_tick_at); RETURN NULL; END$$");
        database.run("CREATE TRIGGER note_beat AFTER UPDATE OF last_tick_at ON oneroof.queue_heartbeat FOR EACH ROW"
                + " WHEN (NEW.last_beat_payload ->> 'reason' LIKE 'pass running for %') EXECUTE FUNCTION note_beat()");
        CountDownLatch mayEnd = new CountDownLatch(1);
        Probe probe = new Probe(lease -> {
            awaited(mayEnd);
            return new Pass.Idle(Duration.ofDays(1));
        });

        try (Workers workers = workers("a", probe)) {
            try {
                Await.patiently()
                        .until("renewals", () -> database.value(Long.class, "SELECT count(*) FROM beat"), n -> n >= 4);
                assertThat(heartbeat("lease_owner = 'a' AND lease_until > clock_timestamp()"))
                        .isTrue();
            } finally {
                mayEnd.countDown();
            }
        }

        assertThat(database.value(
                        Double.class,
                        "SELECT min(gap) FROM (SELECT extract(epoch FROM at - lag(at) OVER (ORDER BY no))::float8 AS gap"
                                + " FROM beat) g"))
                .as("seconds between two of them")
                .isGreaterThan(QUICK.steadyBeat().toMillis() * 0.9 / 1000);
    }

    @Test
    void treatsAnExpiredGateAsClosed() {
        database.run("UPDATE oneroof.dot_config SET expires_at = now() - interval '1 s' WHERE key = ?", GATE);
        Probe probe = new Probe(lease -> new Pass.Worked(1));

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("beats", () -> heartbeat("ticks_total >= 3"));
        }

        assertThat(probe.passes).isEmpty();
    }

    @Test
    void beatsAsFailingAndTriesAgainAfterAnError() {
        Probe probe = new Probe(lease -> {
            throw new IllegalStateException("a pass that fails");
        });

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("tries", () -> probe.passes.size() >= 3);
            Await.patiently().until("a beat that says so", () -> heartbeat("last_tick_status = 'error'"));
            probe.work = lease -> new Pass.Idle(Duration.ofMillis(10));
            Await.patiently().until("a beat that it is over", () -> heartbeat("last_tick_status = 'ok'"));
        }
    }

    @Test
    void standsByWhileAnotherHoldsTheScopeAndFollowsWhenItIsGone() {
        Probe first = new Probe(lease -> new Pass.Idle(Duration.ofMillis(10)));
        Probe second = new Probe(lease -> new Pass.Idle(Duration.ofMillis(10)));
        Workers holder = workers("a", first);
        Await.patiently().until("the first at work", () -> !first.passes.isEmpty());

        try (Workers standby = workers("b", second)) {
            int before = first.passes.size();
            Await.patiently().until("the first goes on", () -> first.passes.size() > before + 10);
            assertThat(second.passes).isEmpty();

            holder.close();
            Await.patiently().until("the second at work", () -> !second.passes.isEmpty());
        }
    }

    @Test
    void goesOnUnderANewEpochWhenItsLeaseWasLost() {
        Probe probe = new Probe(lease -> new Pass.Lost());

        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("two epochs", () -> probe.epochs() >= 2);
        }
    }

    @Test
    void endsThePassItIsInBeforeItStops() throws InterruptedException {
        CountDownLatch inPass = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        List<String> order = new CopyOnWriteArrayList<>();
        Probe probe = new Probe(lease -> {
            inPass.countDown();
            order.add(awaited(mayEnd) ? "pass ended" : "interrupted");
            return new Pass.Worked(1);
        });
        Workers workers = workers("a", probe);
        assertThat(inPass.await(20, TimeUnit.SECONDS)).isTrue();

        Thread closer = Thread.ofPlatform().start(() -> {
            workers.close();
            order.add("closed");
        });
        // Until it waits for the pass: another would follow one that ends before it is stopped.
        Await.patiently().until("the stop", () -> closer.getState() == Thread.State.TIMED_WAITING);
        mayEnd.countDown();
        closer.join(Duration.ofSeconds(20));

        assertThat(order).containsExactly("pass ended", "closed");
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Of a source that is none, say: told of while it runs, and of no use afterwards. */
    @Test
    void forgetsTheScopeThatItMadeAndNeverBegan() {
        Probe probe = new Probe(lease -> new Pass.Worked(1));
        probe.sound = false;
        try (Workers workers = workers("a", probe)) {
            Await.patiently()
                    .until("it to be told", () -> heartbeat("last_beat_payload ->> 'reason' LIKE '%no such source%'"));
        }
        assertThat(scopes()).isZero();

        probe.sound = true;
        try (Workers workers = workers("a", probe)) {
            Await.patiently().until("a pass", () -> !probe.passes.isEmpty());
        }
        probe.sound = false;
        try (Workers workers = workers("a", probe)) {
            Await.patiently()
                    .until("it to be told", () -> heartbeat("last_beat_payload ->> 'reason' LIKE '%no such source%'"));
        }
        assertThat(scopes()).as("one that others knew of").isEqualTo(1);
    }

    /** One wake-up does for all that follow within some milliseconds, so a look that was made at once is not the last. */
    @Test
    void looksByItselfSoonAfterOneThatTookAllThereWas() {
        database.run("UPDATE oneroof.dot_config SET value = 'true' WHERE key = 'queue.notify.bridge_enabled'");
        // One that makes no pass unless it is woken.
        Probe probe = new Probe(lease -> new Pass.Degraded("for the test", Duration.ofDays(1)));
        probe.wokenBy = WakeUpLayer.EVENT;

        try (Workers workers = workers("a", probe)) {
            awaitListening();
            // Every worker is woken once when the listener starts.
            Await.patiently().until("a pass", () -> !probe.passes.isEmpty());
            database.run("SELECT oneroof.fn_queue_wake('governance', 'event')");
            Await.patiently().until("an immediate poll", () -> probe.polls.get() > 0);
            int before = probe.passesBeforePoll.get();
            Await.patiently().until("a pass after it", () -> probe.passes.size() > before);
        }
    }

    private void awaitListening() {
        Await.patiently()
                .until(
                        "the listener",
                        () -> database.value(
                                Boolean.class,
                                "SELECT count(*) > 0 FROM oneroof.queue_heartbeat WHERE last_beat_payload ->> 'wake_ups' = 'listening'"));
    }

    private long scopes() {
        return database.value(
                Long.class, "SELECT count(*) FROM oneroof.queue_heartbeat WHERE executor_name LIKE 'looper/%'");
    }

    private Workers workers(String owner, Probe... probes) {
        Workers workers = new Workers(owner, db, new LeaseStore(), QUICK);
        for (Probe probe : probes) {
            workers.start(probe);
        }
        return workers;
    }

    private boolean heartbeat(String condition) {
        return database.list(
                        row -> row.getBoolean(1),
                        "SELECT (" + condition
                                + ") IS TRUE FROM oneroof.queue_heartbeat WHERE executor_name LIKE 'looper/%'")
                .equals(List.of(true));
    }

    private static final class Probe implements Worker {
        private final List<Lease> passes = new CopyOnWriteArrayList<>();
        private final AtomicInteger asked = new AtomicInteger();
        private volatile Function<Lease, Pass> work;
        private final AtomicInteger polls = new AtomicInteger();
        private final AtomicInteger passesBeforePoll = new AtomicInteger();
        private volatile @Nullable WakeUpLayer wokenBy;
        private volatile Set<String> gates = Set.of(GATE);
        private final List<String> paused = new CopyOnWriteArrayList<>();
        private volatile boolean needed = true;
        private volatile boolean sound = true;

        Probe(Function<Lease, Pass> work) {
            this.work = work;
        }

        long epochs() {
            return passes.stream().map(Lease::epoch).distinct().count();
        }

        @Override
        public WorkerSpec spec() {
            return WorkerSpec.of(SCOPE).gatedBy(gates);
        }

        @Override
        public boolean isWokenBy(WakeUpLayer layer) {
            return layer == wokenBy;
        }

        @Override
        public boolean pollNow(Notifications connection) {
            passesBeforePoll.set(passes.size());
            polls.incrementAndGet();
            return true;
        }

        @Override
        public void onPause(Lease lease, String reason) {
            paused.add(reason);
        }

        @Override
        public boolean isNeeded() {
            asked.incrementAndGet();
            return needed;
        }

        @Override
        public void prepare() {
            if (!sound) {
                throw new IllegalStateException("there is no such source");
            }
        }

        @Override
        public Pass runOnce(Lease lease) {
            passes.add(lease);
            return work.apply(lease);
        }
    }
}
