package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

@OneRoofTest
class TailWorkerTest {
    @OnEveryServer
    void handsOutEveryRowOnceAndInOrder(TestDatabase database, Given given) {
        given.births(1234);
        TailFixture tailing = tailing(database, births(100));

        tailing.drain(tailing.claim("a"));

        assertThat(seen(database))
                .isEqualTo(ids(database, "SELECT id::text FROM birth_registry b ORDER BY born_at, b.id"));
        assertThat(tailing.cursor().eventsSeen()).isEqualTo(1234);
        assertThat(tailing.cursor().attemptsWritten()).isEqualTo(1234);
    }

    @Test
    void goesOnWhereTheLastOwnerCommitted(TestDatabase database, Given given) {
        given.births(250);
        TailFixture tailing = tailing(database, births(100));
        tailing.runOnce(tailing.claim("a"));

        tailing.drain(tailing.claim("b"));

        assertThat(seen(database)).hasSize(250).doesNotHaveDuplicates();
    }

    @Test
    void tellsManyRowsOfOneTimeApartByTheirId(TestDatabase database, Given given) {
        given.births(500);
        database.run("UPDATE birth_registry SET born_at = '2026-01-01 00:00:00Z'");
        TailFixture tailing = tailing(database, births(7));

        tailing.drain(tailing.claim("a"));

        assertThat(seen(database)).isEqualTo(ids(database, "SELECT id::text FROM birth_registry b ORDER BY b.id"));
    }

    @Test
    void commitsNothingOnceTheLeaseIsLost(TestDatabase database, Given given) {
        given.births(50);
        database.run(CopyKeys.TABLE);
        AtomicReference<Runnable> between = new AtomicReference<>(() -> {});
        TailFixture tailing = new TailFixture(database, births(10), (tx, page) -> {
            between.getAndSet(() -> {}).run();
            return new CopyKeys().apply(tx, page);
        });
        Lease old = tailing.claim("a");
        between.set(() -> tailing.claim("b"));

        Pass pass = tailing.runOnce(old);

        assertThat(pass).isInstanceOf(Pass.Lost.class);
        assertThat(seen(database)).isEmpty();
        assertThat(tailing.cursor().eventsSeen()).isZero();
    }

    @Test
    void keepsNothingOfABatchThatFailed(TestDatabase database, Given given) {
        given.births(20);
        database.run(CopyKeys.TABLE);
        TailFixture tailing = new TailFixture(database, births(10), (tx, page) -> {
            new CopyKeys().apply(tx, page);
            throw new IllegalStateException("after the effect, before the commit");
        });

        assertThat(tailing.runOnce(tailing.claim("a"))).isEqualTo(new Pass.Worked(0));

        assertThat(seen(database)).isEmpty();
        assertThat(tailing.cursor().head()).isNull();
    }

    @Test
    void leavesTheCursorToAReplayThatCameBetween(TestDatabase database, Given given) {
        given.births(20);
        database.run(CopyKeys.TABLE);
        AtomicInteger calls = new AtomicInteger();
        TailFixture tailing = new TailFixture(database, births(10), (tx, page) -> {
            if (calls.incrementAndGet() == 1) {
                database.run("UPDATE oneroof.gov_worker_cursor SET settled_ts = NULL, settled_id = NULL,"
                        + " last_watermark_ts = NULL, last_watermark_id = NULL, replay = '{}'");
            }
            return new CopyKeys().apply(tx, page);
        });

        tailing.runOnce(tailing.claim("a"));

        assertThat(calls).hasPositiveValue();
        assertThat(seen(database)).isEmpty();
        assertThat(tailing.cursor().settled()).isNull();
    }

    @Test
    void writesNothingOnAnEmptyPoll(TestDatabase database, Given given) {
        given.births(10);
        TailFixture tailing = tailing(database, births(10));
        Lease lease = tailing.claim("a");
        tailing.drain(lease);
        // A session of the fixture may have been open at the first look; then the second settles what the first handed
        // out.
        Await.patiently().until("everything settled", () -> {
            tailing.runOnce(lease);
            return database.value(Long.class, "SELECT count(*) FROM oneroof.tail_stretch WHERE settled_at IS NULL") == 0
                    && tailing.cursor().settled() != null;
        });
        String before = cursorVersion(database);

        assertThat(tailing.runOnce(lease)).isEqualTo(new Pass.Idle(Duration.ofMillis(50)));

        assertThat(cursorVersion(database)).isEqualTo(before);
    }

    @Test
    void halvesABatchThatTakesTooLong(TestDatabase database, Given given) {
        given.births(8);
        database.run(CopyKeys.TABLE);
        // Each row costs 300 ms: eight or four of them would be over a limit of one second.
        TailFixture tailing = new TailFixture(database, births(8), (tx, page) -> {
            tx.query("SELECT set_config('statement_timeout', '1s', true), pg_sleep(0)")
                    .mapTo(String.class)
                    .one();
            int rows = tx.query("SELECT count(*) FROM (" + page.select("1") + ") p")
                    .bindMap(page.parameters())
                    .mapTo(Integer.class)
                    .one();
            tx.query("SELECT pg_sleep(:s)::text")
                    .bind("s", rows * 0.3)
                    .mapTo(String.class)
                    .one();
            return new CopyKeys().apply(tx, page);
        });
        Lease lease = tailing.claim("a");

        assertThat(tailing.runOnce(lease)).isEqualTo(new Pass.Worked(0));
        assertThat(tailing.runOnce(lease)).isEqualTo(new Pass.Worked(0));
        assertThat(tailing.runOnce(lease)).isEqualTo(new Pass.Worked(2));
    }

    @Test
    void readsUnderATimeoutOfFiveSeconds(TestDatabase database, Given given) {
        given.births(1);
        database.run(CopyKeys.TABLE);
        TailFixture tailing = new TailFixture(database, births(8), (tx, page) -> {
            assertThat(tx.query("SHOW statement_timeout").mapTo(String.class).one())
                    .isEqualTo("5s");
            return new CopyKeys().apply(tx, page);
        });

        assertThat(tailing.runOnce(tailing.claim("a"))).isInstanceOf(Pass.CaughtUp.class);
    }

    @Test
    void obeysTheSourcesFilter(TestDatabase database, Given given) {
        given.births(30);
        TailFixture tailing = tailing(
                database,
                TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                        .timedBy("born_at", TimeType.TIMESTAMPTZ)
                        .where("collection_name = 'orders'")
                        .inBatchesOf(4)
                        .polledEvery(Duration.ofMillis(50)));

        tailing.drain(tailing.claim("a"));

        assertThat(seen(database))
                .isNotEmpty()
                .isEqualTo(
                        ids(
                                database,
                                "SELECT id::text FROM birth_registry b WHERE collection_name = 'orders' ORDER BY born_at, b.id"));
    }

    @Test
    void refusesASourceThatNobodyRegistered(TestDatabase database, Given given) {
        given.births(1);
        TailFixture tailing = tailing(database, births(8));
        Lease lease = tailing.claim("a");
        database.run("DELETE FROM oneroof.gov_worker_cursor");
        database.run("DELETE FROM oneroof.tail_source");

        assertThatThrownBy(() -> tailing.runOnce(lease))
                .isInstanceOf(OneRoofException.class)
                .hasMessageContaining("'births' is not registered");
    }

    private static TailFixture tailing(TestDatabase database, TailSource source) {
        database.run(CopyKeys.TABLE);
        return new TailFixture(database, source, new CopyKeys());
    }

    private static TailSource births(int batchSize) {
        return TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .inBatchesOf(batchSize)
                .polledEvery(Duration.ofMillis(50));
    }

    private static List<String> seen(TestDatabase database) {
        return ids(database, "SELECT key FROM public.seen ORDER BY no");
    }

    private static List<String> ids(TestDatabase database, String query) {
        return database.list(row -> row.getString(1), query);
    }

    private static String cursorVersion(TestDatabase database) {
        return database.value(String.class, "SELECT ctid::text || xmin::text FROM oneroof.gov_worker_cursor");
    }
}
