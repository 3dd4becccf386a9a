package dev.oneroof.core.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Background work steps back where the server has trouble, says so, and goes on by itself. */
@OneRoofTest
class LoadGuardTest {
    private static final LoopConfig QUICK = new LoopConfig(
            Duration.ofSeconds(5), Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofSeconds(1));

    private final AtomicInteger handled = new AtomicInteger();

    @Test
    void holdsWhileSessionsWaitForLocks(TestDatabase database, Given given) throws InterruptedException {
        given.births(5);
        database.run("CREATE TABLE public.contested (id integer)");
        try (OneRoof oneroof = reading(database)) {
            Await.patiently().until("the first rows", () -> handled.get() == 5);
            setting(database, "lock_waits_hold", 1);
            try (Sql owner = database.sql();
                    Sql waiter = database.sql()) {
                owner.run("BEGIN");
                owner.run("LOCK TABLE public.contested");
                waiter.run("BEGIN");
                Thread waiting = Thread.ofPlatform().start(() -> waiter.run("LOCK TABLE public.contested"));

                awaitState(database, "held load: 1 sessions wait for locks (queue.load.lock_waits_hold is 1)");
                given.births(5);
                int before = handled.get();
                long beats = beats(database);
                Await.patiently().until("some more beats", () -> beats(database) > beats + 3);
                assertThat(handled.get()).isEqualTo(before);

                owner.run("ROLLBACK");
                waiting.join();
            }
            Await.patiently().until("the rest", () -> handled.get() == 10);
        }
    }

    /** Who waits for an advisory lock may do so on purpose, and our own sessions are not what we make way for. */
    @Test
    void doesNotMindAdvisoryLocksAndItsOwnSessions(TestDatabase database, Given given) throws InterruptedException {
        given.births(5);
        database.run("CREATE TABLE public.contested (id integer)");
        setting(database, "lock_waits_hold", 1);
        try (OneRoof oneroof = reading(database);
                Sql owner = database.sql();
                Sql patient = database.sql();
                Sql ours = database.sql()) {
            owner.run("BEGIN");
            owner.run("SELECT pg_advisory_lock(7)");
            owner.run("LOCK TABLE public.contested");
            ours.run("SET application_name = 'oneroof 1'");
            ours.run("BEGIN");
            Thread advisory = Thread.ofPlatform().start(() -> patient.run("SELECT pg_advisory_lock(7)"));
            Thread own = Thread.ofPlatform().start(() -> ours.run("LOCK TABLE public.contested"));
            Await.patiently()
                    .until(
                            "both to wait",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM pg_locks WHERE NOT granted"
                                                    + " AND waitstart < clock_timestamp() - interval '1.5 seconds'")
                                    == 2);

            assertThat(Await.upTo(Duration.ofSeconds(2))
                            .holds(() -> state(database).startsWith("held")))
                    .isFalse();

            owner.run("ROLLBACK");
            owner.run("SELECT pg_advisory_unlock_all()");
            advisory.join();
            own.join();
        }
    }

    @Test
    void slowsDownAndHoldsWhereConnectionsRunOut(TestDatabase database, Given given) {
        given.births(5);
        try (OneRoof oneroof = reading(database)) {
            Await.patiently().until("the first rows", () -> handled.get() == 5);
            setting(database, "connections_hold_percent", 0.1);
            Await.patiently()
                    .until(
                            "a hold",
                            () -> state(database).matches("held load: \\d+ of \\d+ connections are in use .*"));

            setting(database, "connections_hold_percent", 0);
            setting(database, "connections_slow_percent", 0.1);
            Await.patiently()
                    .until(
                            "a slow one",
                            () -> {
                                given.births(1);
                                return state(database);
                            },
                            state -> state.matches(
                                    "working processed \\d+ rows?, slowed by load: \\d+ of \\d+ connections are in use .*"));
        }
    }

    private OneRoof reading(TestDatabase database) {
        OneRoof oneroof = OneRoof.open(RuntimeConfig.named("one").withLoop(QUICK), database.dataSource());
        oneroof.register(TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .polledEvery(Duration.ofMillis(20)));
        oneroof.tail("reader", "births").eachRow((tx, row) -> handled.incrementAndGet());
        return oneroof.start();
    }

    private static void setting(TestDatabase database, String name, double value) {
        database.run("UPDATE oneroof.dot_config SET value = '%s' WHERE key = 'queue.load.%s'".formatted(value, name));
    }

    private static void awaitState(TestDatabase database, String state) {
        Await.patiently().until(state, () -> state(database), state::equals);
    }

    private static String state(TestDatabase database) {
        return database.value(
                String.class,
                "SELECT state || ' ' || reason FROM oneroof.v_queue_health"
                        + " WHERE source = 'heartbeat' AND executor_name = 'reader/births/0'");
    }

    private static long beats(TestDatabase database) {
        return database.value(
                Long.class, "SELECT ticks_total FROM oneroof.queue_heartbeat WHERE executor_name = 'reader/births/0'");
    }
}
