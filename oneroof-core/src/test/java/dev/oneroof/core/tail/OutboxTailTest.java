package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** The outbox as a source: read over the borders of its months, and written by tails in their own batches. */
@OneRoofTest
class OutboxTailTest {
    // Events of six months, several to a time; the times lie around the borders.
    private static final String OLD_EVENTS = """
            INSERT INTO oneroof.event_outbox (event_domain, event_type, event_stream, delivery_lane, event_severity,
                event_subject_table, event_subject_ref, actor_ref, source_system, created_at)
            SELECT 'system', 'x', 'alert', 'normal', 'info', 't', n::text, 'a', 's',
                   timestamptz '2024-01-31 23:59:59.999999Z' + (n / 50) % 2 * interval '1 microsecond'
                       + n / 100 * interval '1 month'
            FROM generate_series(0, 599) n
            """;

    private static final String IN_ORDER = "SELECT id::text FROM oneroof.event_outbox e ORDER BY created_at, e.id";

    @OnEveryServer
    void isASourceFromTheStart(TestDatabase database) {
        Database db = db(database);
        TailSource seeded =
                db.inTx(tx -> new SourceStore().find(tx, "event_outbox").orElseThrow());

        List<String> warnings = db.inTx(tx -> new SourceStore().register(tx, seeded, "test"));

        assertThat(warnings).isEmpty();
        assertThat(seeded.contract()).isEqualTo(OrderContract.CLOCK);
    }

    @OnEveryServer
    void isReadInOrderOverTheBordersOfItsMonths(TestDatabase database) {
        database.run(OLD_EVENTS);
        database.run("SELECT oneroof.fn_outbox_partitions_ensure()");
        TailFixture tailing = tailing(database);

        tailing.drain(tailing.claim("a"));

        assertThat(CopyKeys.seen(database)).hasSize(600).isEqualTo(database.list(row -> row.getString(1), IN_ORDER));
    }

    @OnEveryServer
    void isReadOnceWhileItsRowsMoveFromTheDefaultPartition(TestDatabase database) {
        database.run(OLD_EVENTS);
        TailFixture tailing = tailing(database, (tx, page) -> {
            // As long as a transaction of many pages may take: so it is one of one page.
            tx.query("SELECT pg_sleep(0.1)").map((row, context) -> true).one();
            return new CopyKeys().apply(tx, page);
        });
        Lease lease = tailing.claim("a");
        for (int pass = 0; pass < 5; pass++) {
            tailing.runOnce(lease);
        }
        assertThat(CopyKeys.seen(database)).hasSizeBetween(1, 599);

        assertThat(database.value(Integer.class, "SELECT oneroof.fn_outbox_partitions_ensure()"))
                .isPositive();
        tailing.drain(lease);

        assertThat(CopyKeys.seen(database)).hasSize(600).doesNotHaveDuplicates();
    }

    @OnEveryServer
    void prunesTheMonthsBehindTheWatermark(TestDatabase database) {
        database.run(OLD_EVENTS);
        database.run("SELECT oneroof.fn_outbox_partitions_ensure()");
        Watermark late = new Watermark("2024-07-01 00:00:00Z", "00000000-0000-7000-8000-000000000000");

        String plan = explain(database, late);

        assertThat(plan)
                .contains("Subplans Removed: 6", "event_outbox_202407_pkey")
                .doesNotContain("event_outbox_202406", "event_outbox_202401", "Sort  (", "Seq Scan");
    }

    @OnEveryServer
    void handsOutAnEventThatCommitsLate(TestDatabase database) {
        TailFixture tailing = tailing(database);
        Lease lease = tailing.claim("a");
        try (Sql late = database.sql()) {
            late.run("BEGIN");
            late.run("SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', 'late', 'a', 's')");
            database.run("SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', 'early', 'a', 's')");
            tailing.drain(lease);
            assertThat(CopyKeys.seen(database)).hasSize(1);
            late.run("COMMIT");
        }

        Await.patiently().until("both", () -> {
            tailing.drain(lease);
            return CopyKeys.seen(database).size() >= 2;
        });

        assertThat(CopyKeys.seen(database))
                .containsExactlyInAnyOrderElementsOf(database.list(row -> row.getString(1), IN_ORDER));
    }

    /** The handoff's event is part of the batch: a batch that fails has emitted nothing. */
    @OnEveryServer
    void isWrittenOnceByATailThatFailsOnTheWay(TestDatabase database, Given given) {
        given.births(95);
        database.run("SELECT oneroof.fn_event_type_activate('governance', 'governance.handoff.object_born', 'a', 'r')");
        AtomicBoolean failing = new AtomicBoolean(true);
        TailFixture tailing = new TailFixture(
                database,
                TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                        .timedBy("born_at", TimeType.TIMESTAMPTZ)
                        .inBatchesOf(10),
                (tx, page) -> {
                    Batch batch = handoff().apply(tx, page);
                    if (failing.getAndSet(!failing.get())) {
                        throw new OneRoofException(ErrorCode.DATABASE_UNREACHABLE, "after the emit, before the commit");
                    }
                    return batch;
                });
        Lease lease = tailing.claim("a");

        assertThatThrownBy(() -> tailing.drain(lease)).hasMessageContaining("after the emit");
        Await.patiently().until("every birth told", () -> {
            try {
                tailing.drain(lease);
                return true;
            } catch (OneRoofException expected) {
                return false;
            }
        });

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT event_subject_ref FROM oneroof.event_outbox ORDER BY event_subject_ref::int"))
                .isEqualTo(
                        database.list(row -> row.getString(1), "SELECT id::text FROM birth_registry b ORDER BY b.id"));
    }

    private static BatchEffect handoff() {
        return (tx, page) -> {
            String sql = """
                    WITH page AS MATERIALIZED (
                    %s
                    ), emitted AS (
                        SELECT e.event_id
                        FROM oneroof.fn_iu_emit_events((
                            SELECT coalesce(jsonb_agg(jsonb_build_object(
                                       'event_domain', 'governance', 'event_type', 'governance.handoff.object_born',
                                       'event_subject_table', 'birth_registry', 'event_subject_ref', order_id::text,
                                       'actor_ref', actor_ref, 'source_system', source_system,
                                       'occurred_at', order_at) ORDER BY page.order_ts, page.order_id), '[]')
                            FROM page)) e
                    )
                    SELECT (SELECT count(*) FROM emitted) AS written, order_ts::text AS ts, order_id::text AS id
                    FROM page
                    ORDER BY page.order_ts DESC, page.order_id DESC
                    LIMIT 1""".formatted(page.select("actor_ref, source_system"));
            return tx.query(sql)
                    .bindMap(page.parameters())
                    .map((row, context) -> new Batch(
                            row.getLong("written"),
                            row.getLong("written"),
                            new Watermark(row.getString("ts"), row.getString("id"))))
                    .findOne()
                    .orElse(Batch.EMPTY);
        };
    }

    /** Over the seeded source, in batches small enough to meet every border. */
    private static TailFixture tailing(TestDatabase database) {
        return tailing(database, new CopyKeys());
    }

    private static TailFixture tailing(TestDatabase database, BatchEffect effect) {
        database.run(CopyKeys.TABLE);
        database.run("UPDATE oneroof.tail_source SET batch_size = 35, poll_interval = '50 ms'"
                + " WHERE source_name = 'event_outbox'");
        return new TailFixture(database, outbox(database), effect);
    }

    private static TailSource outbox(TestDatabase database) {
        return db(database)
                .inTx(tx -> new SourceStore().find(tx, "event_outbox").orElseThrow());
    }

    private static String explain(TestDatabase database, Watermark after) {
        KeysetPage page = new KeysetPage(outbox(database), true, after, null, null, 10);
        List<String> lines = db(database).inTx(tx -> {
            tx.update("SET LOCAL enable_sort = off").execute();
            return tx.query("EXPLAIN " + page.select("1"))
                    .bindMap(page.parameters())
                    .mapTo(String.class)
                    .list();
        });
        return String.join("\n", lines);
    }

    private static Database db(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.DEFAULT);
    }
}
