package dev.oneroof.core.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.PostgresProxy;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** The bridge from the outbox to its workers: it saves time, and no row hangs on it. */
@OneRoofTest
class WakeUpListenerTest {
    /** Far longer than a test may take: who is not woken in it is not woken. */
    private static final Duration NEVER = Duration.ofMinutes(10);

    private static final LoopConfig QUICK = new LoopConfig(
                    Duration.ofSeconds(5), Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofSeconds(1))
            .withSelfTest(new WakeUpListener.SelfTest(Duration.ofMillis(500), Duration.ofSeconds(2)));

    private final List<String> handled = new CopyOnWriteArrayList<>();

    @Test
    void wakeTheReadersOfTheOutboxAtOnce(TestDatabase database) {
        prepare(database, true);
        try (OneRoof oneroof = reading(database.dataSource(), NEVER)) {
            awaitListening(database, "listening");
            IntStream.range(0, 20).forEach(n -> {
                emit(database, "iu", n);
                Await.patiently().until("event " + n, () -> handled.contains("iu" + n));
            });
            assertThat(handled).hasSize(20);
        }
    }

    @Test
    void areNotSentThroughAClosedGate(TestDatabase database) {
        prepare(database, false);
        try (Connection connection = database.connect()) {
            listen(connection, "iu");
            emit(database, "iu", 1);
            assertThat(heard(connection, 500)).isEmpty();

            gate(database, true);
            emit(database, "iu", 2);
            assertThat(heard(connection, 10_000)).containsExactly("queue_wake_iu event");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @OnEveryServer
    void areOneForEachDomainOfATransactionHoweverManyRowsItHas(TestDatabase database) throws SQLException {
        prepare(database, true);
        try (Connection connection = database.connect();
                Sql writer = database.sql()) {
            listen(connection, "iu");
            listen(connection, "governance");
            writer.run("BEGIN");
            writer.run("""
                    DO $$
                    BEGIN
                        FOR n IN 1..20000 LOOP
                            INSERT INTO oneroof.event_outbox
                                (event_domain, event_type, event_stream, delivery_lane, event_severity,
                                 event_subject_table, event_subject_ref, actor_ref, source_system)
                            VALUES (CASE n % 2 WHEN 0 THEN 'iu' ELSE 'governance' END, 'ping', 'event', 'normal', 'info',
                                    't', n::text, 'a', 's');
                        END LOOP;
                    END $$
                    """);
            writer.run("COMMIT");

            assertThat(heard(connection, 1000))
                    .containsExactlyInAnyOrder("queue_wake_iu event", "queue_wake_governance event");
        }
    }

    /** A long transaction sends its own with its commit; until then others send theirs. */
    @Test
    void areNotTakenFromOthersByALongTransaction(TestDatabase database) throws SQLException {
        prepare(database, true);
        try (Connection connection = database.connect();
                Sql bulk = database.sql()) {
            listen(connection, "iu");
            bulk.run("BEGIN");
            for (int n = 0; n < 5; n++) {
                bulk.run("SELECT oneroof.fn_queue_wake('iu', 'event')");
                emit(database, "iu", n);
                assertThat(heard(connection, n == 0 ? 300 : 2000))
                        .as("a commit beside it, no. " + n)
                        .hasSizeGreaterThanOrEqualTo(n == 0 ? 0 : 1);
            }
            bulk.run("COMMIT");
            assertThat(heard(connection, 2000)).containsExactly("queue_wake_iu event");
        }
    }

    @Test
    void areFewerThanTransactionsThatFollowCloseUponEachOther(TestDatabase database) throws SQLException {
        prepare(database, true);
        // Commits that need not wait for the disk come several to a millisecond.
        try (Connection connection = database.connect();
                Sql writer = database.sql()) {
            listen(connection, "iu");
            writer.run("SET synchronous_commit = off");
            IntStream.range(0, 500).forEach(n -> writer.run(emission("iu", n)));

            assertThat(heard(connection, 500)).hasSizeBetween(1, 400);
        }
    }

    @Test
    void forOneDomainDoNotStandForAnother(TestDatabase database) throws SQLException {
        prepare(database, true);
        try (Connection connection = database.connect();
                Sql writer = database.sql()) {
            listen(connection, "iu");
            listen(connection, "governance");
            writer.run("SET synchronous_commit = off");
            writer.run(emission("iu", 1));
            writer.run(emission("governance", 2));

            assertThat(heard(connection, 1000)).contains("queue_wake_governance event");
        }
    }

    @Test
    void canBeTurnedOffByASessionThatPreparesTransactions(TestDatabase database) {
        prepare(database, true);
        int allowed = database.value(Integer.class, "SELECT current_setting('max_prepared_transactions')::int");
        assertThat(allowed).as("the test server allows them").isPositive();
        try (Sql writer = database.sql()) {
            writer.run("BEGIN");
            writer.run(emission("iu", 1));
            assertThatThrownBy(() -> writer.run("PREPARE TRANSACTION 'with a wake-up'"))
                    .hasMessageContaining("NOTIFY");
            writer.run("ROLLBACK");

            writer.run("SET oneroof.notify = off");
            writer.run("BEGIN");
            writer.run(emission("iu", 2));
            writer.run("PREPARE TRANSACTION 'without'");
            writer.run("COMMIT PREPARED 'without'");
        }
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.event_outbox"))
                .isEqualTo(1);
    }

    @Test
    void costNoRowWhenTheyAreSwallowedOnTheWay(TestDatabase database) {
        prepare(database, true);
        try (PostgresProxy proxy = PostgresProxy.to(database.address())) {
            proxy.swallowNotifications(true);
            try (OneRoof oneroof = reading(database.dataSourceVia(proxy.address()), Duration.ofMillis(200))) {
                awaitListening(database, "not receiving");
                IntStream.range(0, 50).forEach(n -> emit(database, "iu", n));
                Await.patiently().until("all of them", () -> handled.size() == 50);

                proxy.swallowNotifications(false);
                awaitListening(database, "listening");
            }
        }
        assertThat(handled).doesNotHaveDuplicates().hasSize(50);
    }

    @Test
    void handleNothingTwiceWhenTheyComeTooOften(TestDatabase database) {
        prepare(database, true);
        try (OneRoof oneroof = reading(database.dataSource(), Duration.ofMillis(200));
                Sql noise = database.sql()) {
            awaitListening(database, "listening");
            IntStream.range(0, 50).forEach(n -> {
                IntStream.range(0, 20).forEach(m -> noise.run("SELECT pg_notify('queue_wake_iu', 'event')"));
                emit(database, "iu", n);
            });
            Await.patiently().until("all of them", () -> handled.size() >= 50);
        }
        assertThat(handled).doesNotHaveDuplicates().hasSize(50);
    }

    /** Whoever waits because of a failure, a load or a hand-over does not wait for rows. */
    @Test
    void doNotCutShortAWaitThatIsForSomethingElse(TestDatabase database) {
        prepare(database, true);
        AtomicInteger passes = new AtomicInteger();
        Worker failing = new Worker() {
            @Override
            public WorkerSpec spec() {
                return WorkerSpec.of(Scope.of("failing", "events")).wokenBy(WakeUpLayer.values());
            }

            @Override
            public void prepare() {
                // Nothing is needed to fail.
            }

            @Override
            public Pass runOnce(Lease lease) {
                passes.incrementAndGet();
                throw new IllegalStateException("as if something were broken");
            }
        };
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        try (Workers workers = new Workers("one", db, new LeaseStore(), QUICK);
                Sql noise = database.sql()) {
            workers.start(failing);
            awaitListening(database, "listening");
            Await.patiently().until("some failures", () -> passes.get() > 3);
            int before = passes.get();
            long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
            while (System.nanoTime() < end) {
                noise.run("SELECT pg_notify('queue_wake_iu', 'event')");
            }

            // By its backoff alone it makes one in a second, and a few before.
            assertThat(passes.get() - before).isLessThan(15);
        }
    }

    @Test
    void areHeardAgainAfterTheConnectionBroke(TestDatabase database) {
        prepare(database, true);
        try (OneRoof oneroof = reading(database.dataSource(), NEVER)) {
            awaitListening(database, "listening");
            String listener = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND query LIKE 'LISTEN%' AND state = 'idle'";
            int first = database.value(Integer.class, listener);
            database.run("SELECT pg_terminate_backend(%d)".formatted(first));
            emit(database, "iu", 1);

            Await.patiently().until("what was sent while nobody listened", () -> handled.contains("iu1"));
            Await.patiently()
                    .until(
                            "another connection",
                            () -> database.list(row -> row.getInt(1), listener).stream()
                                    .anyMatch(pid -> pid != first));
            emit(database, "iu", 2);
            Await.patiently().until("what is sent now", () -> handled.contains("iu2"));
        }
    }

    @Test
    void areHeardFromADomainThatIsRegisteredLater(TestDatabase database) {
        prepare(database, true);
        try (OneRoof oneroof = reading(database.dataSource(), NEVER)) {
            awaitListening(database, "listening");
            type(database, "shipping");
            Await.patiently()
                    .until(
                            "a listener for it",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                                    + " AND query = 'LISTEN \"queue_wake_shipping\"'")
                                    == 1);
            emit(database, "shipping", 1);

            Await.patiently().until("its event", () -> handled.contains("shipping1"));
        }
    }

    private OneRoof reading(DataSource sessions, Duration poll) {
        OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), sessions);
        oneroof.register(TailSource.of("events", "oneroof", "event_outbox", "id", IdType.UUID)
                .timedBy("created_at", TimeType.TIMESTAMPTZ)
                .where("event_type = 'ping'")
                .polledEvery(poll));
        oneroof.tail("reader", "events")
                .reading("event_domain", "event_subject_ref")
                .eachRow((tx, row) -> handled.add(row.string("event_domain") + row.string("event_subject_ref")));
        return oneroof.start();
    }

    private static void prepare(TestDatabase database, boolean open) {
        type(database, "iu");
        type(database, "governance");
        gate(database, open);
    }

    private static void type(TestDatabase database, String domain) {
        database.run("SELECT oneroof.fn_event_type_register('%s', 'ping', 'event', 'normal', 'info', 'a test', 'ann')"
                .formatted(domain));
        database.run("SELECT oneroof.fn_event_type_activate('%s', 'ping', 'ann', 'a test')".formatted(domain));
    }

    private static void gate(TestDatabase database, boolean open) {
        database.run(
                "UPDATE oneroof.dot_config SET value = '%s' WHERE key = 'queue.notify.bridge_enabled'".formatted(open));
    }

    private static String emission(String domain, int n) {
        return "SELECT oneroof.fn_iu_emit_event('%s', 'ping', 't', '%d', 'ann', 'test')".formatted(domain, n);
    }

    private static void emit(TestDatabase database, String domain, int n) {
        database.run(emission(domain, n));
    }

    private static void awaitListening(TestDatabase database, String state) {
        Await.patiently()
                .until(
                        "the listener to be " + state,
                        () -> database.list(
                                        row -> row.getString(1),
                                        "SELECT last_beat_payload->>'wake_ups' FROM oneroof.queue_heartbeat"
                                                + " WHERE executor_name = 'instance/one'")
                                .contains(state));
    }

    private static void listen(Connection connection, String domain) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN queue_wake_" + domain);
        }
    }

    /** All that comes until nothing has come for so long. */
    private static List<String> heard(Connection connection, int millis) throws SQLException {
        List<String> all = new ArrayList<>();
        PGConnection raw = connection.unwrap(PGConnection.class);
        PGNotification[] some = raw.getNotifications(millis);
        while (some != null && some.length > 0) {
            for (PGNotification one : some) {
                all.add(one.getName() + " " + one.getParameter());
            }
            some = raw.getNotifications(300);
        }
        return all;
    }
}
