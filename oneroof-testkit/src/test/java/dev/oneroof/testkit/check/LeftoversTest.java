package dev.oneroof.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.fixture.Seeded;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Negative controls: each careless test must fail for what it leaves, beside tidy ones that must not. */
class LeftoversTest {
    private static final CountDownLatch NEVER = new CountDownLatch(1);

    /** The driver closes a connection that nobody refers to when its garbage is collected, which may be before the check. */
    private static final List<Connection> HELD = new CopyOnWriteArrayList<>();

    private static Map<String, TestExecutionResult> results = Map.of();

    @BeforeAll
    static void runThemAllAtOnce() {
        results = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(Careless.class), selectClass(Tidy.class))
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .execute()
                .testEvents()
                .finished()
                .stream()
                .collect(Collectors.toMap(
                        event -> event.getTestDescriptor().getDisplayName().replaceAll("\\(.*", ""),
                        event -> event.getRequiredPayload(TestExecutionResult.class)));
        NEVER.countDown();
    }

    @Test
    void passesTestsThatLeaveNothing() {
        assertThat(results).hasSize(16);
        assertThat(results.entrySet().stream().filter(result -> result.getKey().startsWith("tidy")))
                .hasSize(5)
                .allSatisfy(
                        result -> assertThat(result.getValue().getThrowable()).isEmpty());
    }

    @Test
    void failsForConnectionLeftOpenAndShowsWhoOpenedIt() {
        assertThat(failureOf("leavesConnection"))
                .hasMessageContaining("connection left open: pid ")
                .hasMessageContaining("select 'the last thing said'")
                .hasMessageNotContaining("transaction left open");
        assertThat(stacksIn(failureOf("leavesConnection"))).contains("Careless.leavesConnection");
    }

    @Test
    void failsForConnectionThatWentAroundTheTestkit() {
        assertThat(failureOf("leavesConnectionOfItsOwn"))
                .hasMessageContaining("connection left open: pid ")
                .hasMessageContaining("application 'somebody else'");
    }

    @Test
    void failsForConnectionThatOnlyTheServerHasEnded() {
        assertThat(failureOf("leavesEndedConnection")).hasMessageContaining("ended by the server");
    }

    @Test
    void failsForTransactionLeftOpen() {
        assertThat(failureOf("leavesTransaction"))
                .hasMessageContaining("transaction left open: pid ")
                .hasMessageContaining("idle in transaction")
                .hasMessageContaining("relation birth_registry RowExclusiveLock");
    }

    @Test
    void failsForAdvisoryLockLeftHeld() {
        assertThat(failureOf("leavesAdvisoryLock"))
                .hasMessageContaining("lock left held: pid ")
                .hasMessageContaining("advisory 4711 ExclusiveLock");
    }

    @Test
    void failsForPreparedTransaction() {
        assertThat(failureOf("leavesPreparedTransaction")).hasMessageContaining("prepared transaction left: 'limbo'");
    }

    @Test
    void failsForThreadThatKeepsTheProcessAlive() {
        assertThat(failureOf("leavesThread"))
                .hasMessageContaining("thread left running: 'forgotten', not a daemon")
                .hasMessageContaining("CountDownLatch");
    }

    @Test
    void failsForDaemonThreadOfOneRoof() {
        assertThat(failureOf("leavesOneRoofDaemon"))
                .hasMessageContaining("thread left running: 'oneroof-sampler', daemon");
    }

    @Test
    void failsForBrokenInvariant() {
        assertThat(failureOf("breaksInvariant"))
                .hasMessageContaining("invariant broken: no_two_leases_share_an_epoch: [{\"lease_epoch\":1")
                .hasMessageNotContaining("left");
    }

    @Test
    void failsForInvariantThatTheTestAdded() {
        assertThat(failureOf("breaksInvariantOfItsOwn"))
                .hasMessageContaining("invariant broken: no_births: [{\"id\":1");
    }

    @Test
    void addsLeftoversAndSeedToTheFailureOfTheTest() {
        Throwable failure = failureOf("failsAndLeavesConnection");

        assertThat(failure).hasMessage("the test's own failure");
        assertThat(Arrays.stream(failure.getSuppressed()).map(Throwable::getMessage))
                .anyMatch(message -> message.contains("connection left open"))
                .anyMatch(message -> message.matches("random seed -?\\d+; to repeat: -Doneroof\\.test\\.seed=-?\\d+"));
    }

    private static Throwable failureOf(String test) {
        TestExecutionResult result = results.get(test);
        assertThat(result).as(test).isNotNull();
        assertThat(result.getThrowable()).as(test).isPresent();
        return result.getThrowable().orElseThrow();
    }

    private static String stacksIn(Throwable failure) {
        return Arrays.stream(failure.getSuppressed())
                .flatMap(suppressed -> Arrays.stream(suppressed.getStackTrace()))
                .map(StackTraceElement::toString)
                .collect(Collectors.joining("\n"));
    }

    @OneRoofTest
    static class Careless {
        @Test
        void leavesConnection(TestDatabase database) {
            database.sql().run("select 'the last thing said'");
        }

        @Test
        void leavesConnectionOfItsOwn(TestDatabase database) throws SQLException {
            HELD.add(DriverManager.getConnection(
                    database.jdbcUrl() + "?ApplicationName=somebody else",
                    database.address().user(),
                    database.address().password()));
        }

        @Test
        void leavesEndedConnection(TestDatabase database) throws SQLException {
            int pid = database.sql().value(Integer.class, "SELECT pg_backend_pid()");
            database.onServer(sql -> sql.value(Boolean.class, "SELECT pg_terminate_backend(?, 5000)", pid));
        }

        @Test
        void leavesTransaction(TestDatabase database, Given given) throws SQLException {
            given.births(1);
            Connection connection = database.connect();
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("DELETE FROM birth_registry");
            }
        }

        @Test
        void leavesAdvisoryLock(TestDatabase database) {
            database.sql().run("SELECT pg_advisory_lock(4711)");
        }

        @Test
        void leavesPreparedTransaction(TestDatabase database, Given given) {
            given.births(1);
            database.run("BEGIN; DELETE FROM birth_registry; PREPARE TRANSACTION 'limbo'");
        }

        @Test
        void leavesThread() {
            Executors.newSingleThreadExecutor(work -> new Thread(work, "forgotten"))
                    .execute(LeftoversTest::waitForever);
        }

        @Test
        void leavesOneRoofDaemon() {
            Thread.ofPlatform().daemon().name("oneroof-sampler").start(LeftoversTest::waitForever);
        }

        @Test
        void breaksInvariant(TestDatabase database) {
            database.run("""
                    INSERT INTO oneroof.queue_heartbeat
                        (executor_name, executor_kind, lease_owner, lease_until, lease_epoch, expected_cadence_seconds,
                         stale_threshold_seconds, registered_by)
                    SELECT name, 'DOT', 'a', now(), nextval('oneroof.lease_epoch_seq') * 0 + 1, 5, 30, 'test'
                    FROM unnest(ARRAY['v', 'w']) name
                    """);
        }

        @Test
        void breaksInvariantOfItsOwn(Given given, Invariants invariants) {
            given.births(1);
            invariants.add(new Invariant("no_births", "birth_registry", "SELECT * FROM birth_registry"));
        }

        @Test
        void failsAndLeavesConnection(TestDatabase database, Seeded seeded) {
            database.sql().run("SELECT " + seeded.between(1, 9));
            throw new IllegalStateException("the test's own failure");
        }
    }

    @OneRoofTest
    static class Tidy {
        private final CountDownLatch work = new CountDownLatch(1);

        @AfterEach
        void endWhatTheTestBegan() {
            work.countDown();
        }

        @Test
        void tidyWithoutDatabase() {}

        @Test
        void tidyDatabase(TestDatabase database, Given given, Invariants invariants) {
            given.births(2);
            invariants.add(
                    new Invariant("three_births", "birth_registry", "SELECT 1 FROM birth_registry WHERE id > 2"));
            invariants.add(new Invariant("elsewhere", "not_there", "SELECT * FROM not_there"));
            database.run("SELECT 1");
        }

        @Test
        void tidyThread() throws InterruptedException {
            Thread thread = Thread.ofPlatform().start(() -> {});
            thread.join();
        }

        @Test
        void tidyThreadThatEndsAfterTheTest() {
            Thread.ofPlatform().start(() -> {
                try {
                    work.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        @Test
        void tidyDaemonOfAnother() {
            Thread.ofPlatform().daemon().name("a library's timer").start(LeftoversTest::waitForever);
        }
    }

    private static void waitForever() {
        try {
            NEVER.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
