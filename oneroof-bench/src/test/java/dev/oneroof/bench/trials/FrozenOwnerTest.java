package dev.oneroof.bench.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.Figure;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.PostgresProxy;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An owner that is frozen just before one of its commits holds nobody up for longer than its lease lasts. */
@OneRoofTest
class FrozenOwnerTest {
    private static final Duration LEASE = Duration.ofMillis(1500);
    private static final Duration LIMIT = LEASE.plusSeconds(10);

    /** Whose COMMIT does not get through. */
    enum Moment {
        LOOK("pg_catalog.pg_locks"),
        BEAT("last_tick_at"),
        EFFECT("oneroof_frozen.handled");

        private final String statement;

        Moment(String statement) {
            this.statement = statement;
        }
    }

    @Test
    void isSucceededWhenItWasFrozenWhileLookingAtTheBarrier(TestDatabase database) throws Exception {
        isSucceeded(Moment.LOOK, TrialTables.Kind.SEQUENCE_PROMPT, database);
    }

    @ParameterizedTest
    @CsvSource({
        "EFFECT, SEQUENCE_PROMPT",
        "EFFECT, SEQUENCE_STRICT",
        "BEAT,   SEQUENCE_PROMPT",
        "BEAT,   SEQUENCE_STRICT",
        "LOOK,   SEQUENCE_STRICT",
    })
    void isSucceededWhereverItWasFrozen(Moment moment, TrialTables.Kind kind, TestDatabase database) throws Exception {
        isSucceeded(moment, kind, database);
    }

    private static void isSucceeded(Moment moment, TrialTables.Kind kind, TestDatabase database) throws Exception {
        DatabaseAddress direct = TrialDatabase.of(database);
        Database owner = new Database(Connections.plain(direct, "trial owner"), SchemaName.DEFAULT);
        TrialTables tables = new TrialTables("oneroof_frozen");
        tables.create(owner, SchemaConfig.DEFAULT.roles().server());
        List<TailSource> sources = tables.register(owner, kind);
        CountDownLatch wake = new CountDownLatch(1);
        try (PostgresProxy proxy = PostgresProxy.to(database.address());
                Instance.Running first = instance(throughSingleMessages(proxy, direct), tables, sources)
                        .startAtOnce("first")) {
            write(database, tables, 1, 100);
            awaitHandled(tables, owner, sources, 100);
            Freeze freeze = new Freeze(proxy, moment, wake);
            proxy.cutBefore(freeze);
            write(database, tables, 101, 200);
            Await.patiently().until("the freeze", freeze.happened::get);

            try (Instance.Running second = instance(direct, tables, sources).startAtOnce("second")) {
                write(database, tables, 201, 300);
                awaitHandled(tables, owner, sources, 300);
                wake.countDown();
                proxy.release();
                Await.pause(Duration.ofMillis(500));
            }
        } finally {
            wake.countDown();
        }
        assertThat(new Verdict(tables, owner).figures(sources.getFirst())).allMatch(Figure::holds);
    }

    /** Lets no message through from the first COMMIT on that follows the statement. */
    private static final class Freeze implements Predicate<String> {
        private final PostgresProxy proxy;
        private final Moment moment;
        private final CountDownLatch wake;
        private final AtomicBoolean seen = new AtomicBoolean();
        final AtomicBoolean happened = new AtomicBoolean();

        Freeze(PostgresProxy proxy, Moment moment, CountDownLatch wake) {
            this.proxy = proxy;
            this.moment = moment;
            this.wake = wake;
        }

        @Override
        public boolean test(String statement) {
            if (statement.contains(moment.statement)) {
                seen.set(true);
            } else if (seen.get() && statement.equals("COMMIT") && happened.compareAndSet(false, true)) {
                proxy.hold();
                try {
                    wake.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return false;
        }
    }

    private static Instance instance(DatabaseAddress address, TrialTables tables, List<TailSource> sources) {
        return new Instance(address, SchemaConfig.DEFAULT, tables.schema(), LEASE, Instance.names(sources));
    }

    /** One message per statement, so that a held COMMIT leaves a session idle in its transaction, as a frozen process does. */
    private static DatabaseAddress throughSingleMessages(PostgresProxy proxy, DatabaseAddress direct) {
        return new DatabaseAddress(
                proxy.host(),
                proxy.port(),
                direct.database(),
                direct.user(),
                direct.password(),
                Map.of("preferQueryMode", "simple"));
    }

    private static void write(TestDatabase database, TrialTables tables, long first, long last) {
        for (String statement : tables.write(first, last).split(";", -1)) {
            database.run(statement);
        }
    }

    private static void awaitHandled(TrialTables tables, Database owner, List<TailSource> sources, long rows) {
        Await.upTo(LIMIT).until(rows + " rows", () -> tables.seen(owner, sources) >= rows);
    }
}
