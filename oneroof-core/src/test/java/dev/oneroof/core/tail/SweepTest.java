package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.core.tail.read.StretchBatches;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A backlog is read many pages to a transaction, the next page while one is handled; each row is handled once all the same. */
@OneRoofTest
class SweepTest {
    private static final int ROWS = 20_000;
    private static final int PAGE = 50;

    private static final String NOTE = """
            INSERT INTO public.noted (id, page, xid, readers)
            SELECT i, :page, pg_current_xact_id()::text, (
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = current_setting('application_name')
                  AND pid <> pg_backend_pid())
            FROM unnest(CAST(:ids AS bigint[])) i
            """;

    @OnEveryServer
    void takesManyPagesInOneTransactionAndReadsAheadBesideIt(TestDatabase database, Given given) {
        given.births(ROWS);
        Cursor cursor;
        try (HikariDataSource pool = pool(database, 3)) {
            TailFixture tailing = new TailFixture(pool, births(), noting(database, Set.of()));
            tailing.drain(tailing.claim("a"));
            cursor = tailing.cursor();
        }

        assertHandledOnceAndInOrder(database);
        assertThat(database.value(Long.class, "SELECT count(DISTINCT page) FROM public.noted"))
                .isEqualTo(ROWS / PAGE);
        assertThat(database.value(Long.class, "SELECT count(DISTINCT xid) FROM public.noted"))
                .isLessThan(ROWS / PAGE);
        assertThat(database.value(Long.class, "SELECT max(readers) FROM public.noted"))
                .isEqualTo(1);
        assertThat(cursor.eventsSeen()).isEqualTo(ROWS);
        assertThat(cursor.attemptsWritten()).isEqualTo(ROWS);
    }

    @Test
    void readsInTheOrdinaryWayWhenItsReaderIsEnded(TestDatabase database, Given given) {
        given.births(ROWS);
        BatchEffect noting = noting(database, Set.of());
        AtomicLong ended = new AtomicLong();
        try (HikariDataSource pool = pool(database, 3)) {
            TailFixture tailing = new TailFixture(pool, births(), (tx, page) -> {
                tx.query("SELECT pg_stat_clear_snapshot()::text")
                        .mapTo(String.class)
                        .one();
                ended.addAndGet(tx.query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                                + " AND application_name = current_setting('application_name')")
                        .mapTo(Long.class)
                        .one());
                return noting.apply(tx, page);
            });

            tailing.drain(tailing.claim("a"));
        }

        assertThat(ended).hasPositiveValue();
        assertHandledOnceAndInOrder(database);
    }

    @Test
    void refusesAHandlerThatAbandonsItsBatch(TestDatabase database, Given given) {
        given.births(PAGE);
        TailFixture tailing = new TailFixture(database, births(), (tx, page) -> {
            tx.abandon();
            return Batch.EMPTY;
        });

        assertThatThrownBy(() -> tailing.drain(tailing.claim("a"))).hasMessageContaining("abandoned the transaction");
        assertThat(tailing.cursor().eventsSeen()).isZero();
    }

    @Test
    void makesDoWithASingleConnection(TestDatabase database, Given given) {
        given.births(ROWS);
        try (HikariDataSource pool = pool(database, 1)) {
            TailFixture tailing = new TailFixture(pool, births(), noting(database, Set.of()));

            tailing.drain(tailing.claim("a"));

            assertHandledOnceAndInOrder(database);
            Await.patiently()
                    .until(
                            "the connection is given back",
                            () -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
        }
    }

    @Test
    void findsTheBadRowsAmongManyPages(TestDatabase database, Given given) {
        given.births(ROWS);
        Set<Long> bad = Set.of(1L, 7_777L, 7_778L, 12_050L, 12_051L, (long) ROWS);
        TailFixture tailing = new TailFixture(database, births(), noting(database, bad));

        tailing.drain(tailing.claim("a"));

        assertThat(database.list(row -> row.getLong(1), "SELECT key_id::bigint FROM oneroof.event_pending ORDER BY 1"))
                .containsExactlyElementsOf(bad.stream().sorted().toList());
        assertThat(database.value(Long.class, "SELECT count(DISTINCT id) FROM public.noted"))
                .isEqualTo(ROWS - bad.size());
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.noted"))
                .isEqualTo(ROWS - bad.size());
        assertThat(tailing.cursor().eventsSeen()).isEqualTo(ROWS);
    }

    private static HikariDataSource pool(TestDatabase database, int size) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(size);
        return new HikariDataSource(config);
    }

    /** Writes down each page, in its transaction, and how many other sessions work under the same lease. */
    private static BatchEffect noting(TestDatabase database, Set<Long> bad) {
        database.run("CREATE TABLE public.noted"
                + " (no bigint GENERATED ALWAYS AS IDENTITY, id bigint, page bigint, xid text, readers bigint)");
        return TailSpec.draft("test_worker", "births")
                .inBatches((tx, rows) -> note(tx, rows, bad))
                .effect();
    }

    private static void note(UserTx tx, List<Row> rows, Set<Long> bad) {
        List<Long> ids = rows.stream().map(row -> row.number("id")).toList();
        if (ids.stream().anyMatch(bad::contains)) {
            throw new IllegalStateException("a bad row");
        }
        // Who is there is looked up once in a transaction otherwise.
        tx.query("SELECT pg_stat_clear_snapshot()::text").mapTo(String.class).one();
        tx.update(NOTE)
                .bind("ids", StretchBatches.array(ids))
                .bind("page", ids.getFirst())
                .execute();
    }

    private static void assertHandledOnceAndInOrder(TestDatabase database) {
        assertThat(database.list(row -> row.getLong(1), "SELECT id FROM public.noted ORDER BY no"))
                .isEqualTo(database.list(row -> row.getLong(1), "SELECT id FROM birth_registry ORDER BY born_at, id"));
    }

    private static TailSource births() {
        return TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .inBatchesOf(PAGE);
    }
}
