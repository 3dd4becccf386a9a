package dev.oneroof.core.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.TcpProxy;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Many scopes over several instances: spread when one joins, taken over when one goes. */
@OneRoofTest
class ScopeBalancerTest {
    // A machine that is busy elsewhere for half a second costs nobody its lease.
    private static final LoopConfig QUICK = new LoopConfig(
            Duration.ofMillis(1500),
            Duration.ofMillis(30),
            Duration.ofMillis(20),
            Duration.ofMillis(50),
            Duration.ofSeconds(3));

    @Test
    void spreadsScopesOverTheInstancesThatRun(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        try (Workers first = workers("a", db, 6)) {
            Await.patiently().until("all on one", () -> held(database, "a") == 6);

            try (Workers second = workers("b", db, 6)) {
                Await.patiently().until("three on each", () -> held(database, "a") == 3 && held(database, "b") == 3);
            }

            Await.patiently().until("all back on the first", () -> held(database, "a") == 6);
        }
        assertThat(database.value(
                        Long.class,
                        "SELECT count(*) FROM oneroof.queue_heartbeat WHERE executor_name LIKE 'instance/%'"))
                .as("instances that have taken leave")
                .isZero();
    }

    @Test
    void takesOverFromAnInstanceThatIsGone(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        // An instance that was killed: it holds a lease and a row of its own, and renews neither.
        database.run("INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch, metadata)"
                + " SELECT name, 'PG_worker', 5, 30, 'dead', 'dead', clock_timestamp() + interval '1 s',"
                + " nextval('oneroof.lease_epoch_seq'), '{\"scopes\": [\"worker/s0/0\", \"worker/s1/0\"]}'"
                + " FROM unnest(ARRAY['instance/dead', 'worker/s0/0']) name");

        try (Workers alive = workers("a", db, 2)) {
            Await.patiently().until("both here", () -> held(database, "a") == 2);
        }
    }

    @Test
    void leavesAScopeWithTheOnlyInstanceThatWantsIt(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        try (Workers many = workers("a", db, 4);
                Workers one = workers("b", db, 1)) {
            Await.patiently().until("all held", () -> held(database, "a") == 3 && held(database, "b") == 1);
            assertStays(database, 4);
        }
    }

    /** Every instance runs the check for silence, so any two have a scope in common. */
    @Test
    void doesNotGiveAwayWhatTheOtherWouldNotTake(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        try (Workers a = workers(db, "a", "only_a", "common");
                Workers b = workers(db, "b", "only_b", "common")) {
            Await.patiently().until("all held", () -> held(database, "a") + held(database, "b") == 3);
            assertStays(database, 3);
        }
    }

    /** One instance can do nothing with the scopes: they stay with the other, and are worked on. */
    @Test
    void leavesScopesWithTheOneThatCanWorkOnThem(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        AtomicInteger passes = new AtomicInteger();
        Workers good = new Workers("a", db, new LeaseStore(), QUICK);
        Workers broken = new Workers("b", db, new LeaseStore(), QUICK);
        try (good;
                broken) {
            for (int n = 0; n < 3; n++) {
                good.start(new Probe(Scope.of("worker", "s" + n), lease -> {
                    passes.incrementAndGet();
                    return new Pass.Idle(Duration.ofMillis(20));
                }));
                broken.start(new Probe(Scope.of("worker", "s" + n), lease -> {
                    throw new NoClassDefFoundError("no/such/Type");
                }));
            }
            // Each look at it takes two lease times.
            Await.upTo(Duration.ofMinutes(1))
                    .until(
                            "all with the one that works, for good",
                            () -> !Await.upTo(QUICK.leaseTime().multipliedBy(2)).holds(() -> held(database, "a") != 3));
            assertThat(passes).hasPositiveValue();
        }
    }

    /** The database was away from it for a while, and it held nothing: that says nothing of what it can do. */
    @Test
    void takesItsShareAfterTheDatabaseWasAwayFromIt(TestDatabase database) {
        ServerAddress server = database.address();
        try (TcpProxy way = TcpProxy.to(server.host(), server.port());
                Workers first = workers("a", new Database(database.dataSource(), SchemaName.DEFAULT), 4)) {
            Await.patiently().until("all on one", () -> held(database, "a") == 4);
            way.refuse();
            DataSource there =
                    database.dataSourceVia(new ServerAddress(way.host(), way.port(), server.user(), server.password()));
            try (Workers second = workers("b", new Database(there, SchemaName.DEFAULT), 4)) {
                // Many times the five failures after which a worker leaves its scope to others.
                Await.pause(QUICK.longestBackoff().multipliedBy(40));
                way.welcome();

                Await.patiently().until("two on each", () -> held(database, "a") == 2 && held(database, "b") == 2);
            }
        }
    }

    /** A lease of a clock that has gone back since; its process is not there to take anything. */
    @Test
    void givesNothingToAnInstanceOfALaterClock(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        database.run(
                "INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                        + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch, metadata)"
                        + " VALUES ('instance/dead', 'PG_worker', 5, 30, 'dead', 'dead', clock_timestamp() + interval '1 h',"
                        + " nextval('oneroof.lease_epoch_seq'), '{\"scopes\": [\"worker/s0/0\", \"worker/s1/0\", \"worker/s2/0\"]}')");
        try (Workers alive = workers("a", db, 3)) {
            Await.patiently().until("all on the living one", () -> held(database, "a") == 3);
            assertThat(Await.upTo(QUICK.leaseTime().multipliedBy(2)).holds(() -> held(database, "a") != 3))
                    .isFalse();
        }
    }

    /** What is stuck cannot be handed over; the others can. */
    @Test
    void spreadsTheOthersWhileOneIsStuck(TestDatabase database) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Workers stuck = new Workers("a", db, new LeaseStore(), QUICK);
        try (stuck) {
            stuck.start(new Probe(Scope.of("worker", "s0"), lease -> {
                await(mayEnd);
                return new Pass.Idle(Duration.ofMillis(100));
            }));
            IntStream.range(1, 6)
                    .forEach(n -> stuck.start(
                            new Probe(Scope.of("worker", "s" + n), lease -> new Pass.Idle(Duration.ofMillis(20)))));
            Await.patiently().until("all on one", () -> held(database, "a") == 6);
            Await.patiently().until("one of them to be stuck", () -> held(database, "a") == 5);
            try (Workers second = workers("b", db, 6)) {
                Await.patiently().until("three on each", () -> held(database, "a") == 3 && held(database, "b") == 3);
                mayEnd.countDown();
            }
        }
    }

    /** Somebody has left a transaction open in which one scope was changed. */
    @Test
    void keepsTheOthersWhileTheRowOfOneIsLocked(TestDatabase database) throws InterruptedException {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        LoopConfig patient = new LoopConfig(
                Duration.ofMillis(1500),
                Duration.ofMillis(30),
                Duration.ofMillis(20),
                Duration.ofMillis(50),
                Duration.ofMinutes(1));
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch inPass = new CountDownLatch(2);
        Workers workers = new Workers("a", db, new LeaseStore(), patient);
        try (workers;
                Sql admin = database.sql()) {
            IntStream.range(0, 2)
                    .forEach(n -> workers.start(new Probe(Scope.of("worker", "s" + n), lease -> {
                        inPass.countDown();
                        await(mayEnd);
                        return new Pass.Idle(Duration.ofMillis(100));
                    })));
            assertThat(inPass.await(20, TimeUnit.SECONDS)).isTrue();
            admin.run("BEGIN");
            admin.run("SELECT oneroof.fn_queue_heartbeat_register('worker/s0/0', 'PG_worker', '{}', 5, 60)");
            Await.patiently().until("the lease of the locked one to run out", () -> held(database, "a") < 2);

            assertThat(Await.upTo(patient.leaseTime().multipliedBy(2)).holds(() -> !areHeld(database)))
                    .as("the other one or the instance lost its lease")
                    .isFalse();

            admin.run("ROLLBACK");
            Await.patiently().until("both", () -> held(database, "a") == 2);
            mayEnd.countDown();
        }
    }

    private static boolean areHeld(TestDatabase database) {
        return database.value(
                Boolean.class,
                "SELECT 2 = (SELECT count(*) FROM oneroof.queue_heartbeat"
                        + " WHERE executor_name IN ('worker/s1/0', 'instance/a') AND lease_until > clock_timestamp())");
    }

    private static void await(CountDownLatch mayEnd) {
        try {
            assertThat(mayEnd.await(90, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void assertStays(TestDatabase database, int all) {
        assertThat(Await.upTo(QUICK.leaseTime().multipliedBy(2))
                        .holds(() -> held(database, "a") + held(database, "b") != all))
                .isFalse();
    }

    private static Workers workers(Database db, String name, String... sources) {
        Workers workers = new Workers(name, db, new LeaseStore(), QUICK);
        for (String source : sources) {
            workers.start(new Probe(Scope.of("worker", source), lease -> new Pass.Idle(Duration.ofMillis(100))));
        }
        return workers;
    }

    @Test
    void renewsTheLeaseOfALongPassUpToItsDeadline(TestDatabase database) throws InterruptedException {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        CountDownLatch inPass = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Workers workers = new Workers("a", db, new LeaseStore(), QUICK);
        try (workers) {
            workers.start(new Probe(Scope.of("worker", "long"), lease -> {
                inPass.countDown();
                await(mayEnd);
                return new Pass.Idle(Duration.ofSeconds(1));
            }));
            assertThat(inPass.await(20, TimeUnit.SECONDS)).isTrue();

            Await.patiently()
                    .until(
                            "a renewal by the instance",
                            () -> holds(database, "last_beat_payload ->> 'reason' LIKE 'pass running for %'"));
            Await.patiently().until("no more of them", () -> holds(database, "lease_until < clock_timestamp()"));
            mayEnd.countDown();
        }
    }

    private static boolean holds(TestDatabase database, String condition) {
        return database.value(
                        Long.class,
                        "SELECT count(*) FROM oneroof.queue_heartbeat WHERE executor_name = 'worker/long/0' AND "
                                + condition)
                == 1;
    }

    private static long held(TestDatabase database, String owner) {
        return database.value(
                Long.class,
                "SELECT count(*) FROM oneroof.queue_heartbeat WHERE executor_name LIKE 'worker/%' AND lease_owner = '"
                        + owner + "' AND lease_until > clock_timestamp()");
    }

    private static Workers workers(String owner, Database db, int scopes) {
        Workers workers = new Workers(owner, db, new LeaseStore(), QUICK);
        IntStream.range(0, scopes)
                .forEach(n -> workers.start(
                        new Probe(Scope.of("worker", "s" + n), lease -> new Pass.Idle(Duration.ofMillis(20)))));
        return workers;
    }

    private record Probe(Scope scope, Function<Lease, Pass> work) implements Worker {
        @Override
        public WorkerSpec spec() {
            return WorkerSpec.of(scope);
        }

        @Override
        public void prepare() {}

        @Override
        public Pass runOnce(Lease lease) {
            return work.apply(lease);
        }
    }
}
