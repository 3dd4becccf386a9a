package dev.oneroof.core.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fault.Backends;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@OneRoofTest
class OutboxPartitionStoreTest {
    private static final String MONTHS = """
            SELECT c.relname
            FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'oneroof.event_outbox'::regclass AND c.relname <> 'event_outbox_default'
            ORDER BY 1
            """;

    private final OutboxPartitionStore partitions = new OutboxPartitionStore();

    @OnEveryServer
    void findsThisMonthAndTheNextTwoMade(TestDatabase database) {
        // By the day on which the schema was made, and its first day of jobs with it: that may be in the last month.
        assertThat(months(database))
                .isEqualTo(
                        database.list(
                                row -> row.getString(1),
                                "SELECT 'event_outbox_' || to_char(date_trunc('month', made.day) + n * interval '1 month', 'YYYYMM')"
                                        + " FROM generate_series(0, 2) n, (SELECT min(to_date(right(relname, 8), 'YYYYMMDD'))::timestamp"
                                        + " FROM pg_class WHERE relname ~ '^job_log_[0-9]{8}$' AND relispartition) made (day)"));
        ensure(database, 2);
        assertThat(ensure(database, 2)).isZero();
    }

    @OnEveryServer
    void makesMonthsOfUtcInAnySessionZone(TestDatabase database) {
        dropMonths(database);
        assertThat(ensure(database, 5)).isEqualTo(6);

        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT DISTINCT to_char((regexp_match(pg_get_expr(relpartbound, oid), 'FROM \\(''(.*)''\\) TO'))[1]"
                                + "::timestamptz AT TIME ZONE 'UTC', 'DD HH24:MI:SS') FROM pg_class"
                                + " WHERE relispartition AND relname ~ '^event_outbox_[0-9]{6}$'"))
                .containsExactly("01 00:00:00");
    }

    @OnEveryServer
    void makesEachPartitionOnceWhoeverElseDoes(TestDatabase database) throws Exception {
        dropMonths(database);
        int made;
        try (ExecutorService pool = Executors.newFixedThreadPool(6)) {
            List<Callable<Integer>> calls = IntStream.range(0, 6)
                    .mapToObj(i -> (Callable<Integer>) () -> ensure(database, 12))
                    .toList();
            made = 0;
            for (Future<Integer> call : pool.invokeAll(calls)) {
                made += call.get();
            }
        }

        assertThat(months(database)).hasSizeGreaterThanOrEqualTo(13);
        assertThat(made).isEqualTo(months(database).size());
    }

    @OnEveryServer
    void emitsIntoTheDefaultPartitionWhenNoOtherIsThere(TestDatabase database) {
        dropMonths(database);
        emit(database, "homeless");

        assertThat(database.value(String.class, "SELECT event_subject_ref FROM oneroof.event_outbox_default"))
                .isEqualTo("homeless");
    }

    @OnEveryServer
    void movesWhatHasFallenIntoTheDefaultPartition(TestDatabase database) {
        dropMonths(database);
        emit(database, "now");
        append(database, "2024-02-29 23:59:59.999999Z", "leap");
        append(database, "2024-03-01 00:00:00Z", "march");
        append(database, "infinity", "never");
        List<String> before = rows(database);

        assertThat(ensure(database, 0)).isEqualTo(3);

        assertThat(months(database)).contains("event_outbox_202402", "event_outbox_202403");
        assertThat(rows(database)).isEqualTo(before);
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT tableoid::regclass || ' ' || event_subject_ref FROM oneroof.event_outbox"
                                + " WHERE event_subject_ref <> 'now' ORDER BY created_at"))
                .containsExactly(
                        "oneroof.event_outbox_202402 leap",
                        "oneroof.event_outbox_202403 march",
                        "oneroof.event_outbox_default never");
        assertThat(ensure(database, 0)).isZero();
    }

    @OnEveryServer
    void keepsTheConstraintsOfTheOutboxOnAPartitionThatItMade(TestDatabase database) {
        emit(database, "now");

        assertThatThrownBy(() -> database.run("UPDATE oneroof.event_outbox SET safe_payload = '{\"body\": 1}'"))
                .hasMessageContaining("event_outbox_payload_is_a_signal");
        assertThatThrownBy(() -> database.run("INSERT INTO oneroof.event_outbox SELECT * FROM oneroof.event_outbox"))
                .hasMessageContaining("23505");
    }

    @OnEveryServer
    void gainsAPartitionBesideAnOpenEmitAndHoldsUpNone(TestDatabase database) {
        try (Sql open = database.sql()) {
            open.run("BEGIN");
            open.run("SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', 'open', 'a', 's')");

            assertThat(ensure(database, 3)).isEqualTo(1);
            emit(database, "beside");

            open.run("COMMIT");
        }
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.event_outbox"))
                .isEqualTo(2);
    }

    @OnEveryServer
    void givesUpSoonWhenAnOpenTransactionKeepsRowsFromMoving(TestDatabase database) {
        dropMonths(database);
        emit(database, "homeless");
        try (Sql open = database.sql()) {
            open.run("BEGIN");
            open.run("SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', 'open', 'a', 's')");

            assertThatThrownBy(() -> ensure(database, 0))
                    .satisfies(e -> assertThat(SqlState.isTransient(e)).isTrue());

            open.run("COMMIT");
        }
        assertThat(ensure(database, 0)).isEqualTo(1);
        assertThat(rows(database)).hasSize(2);
    }

    /** A reader that already waits when rows move must find them where they have gone. */
    @OnEveryServer
    void letsNoReaderMissRowsThatMove(TestDatabase database, Backends backends) throws Exception {
        dropMonths(database);
        emit(database, "homeless");
        try (Sql mover = database.sql();
                ExecutorService pool = Executors.newSingleThreadExecutor()) {
            mover.run("BEGIN");
            mover.run("SELECT oneroof.fn_outbox_partitions_ensure(0)");
            Future<Long> read = pool.submit(() -> {
                try (Sql reader = new Sql(database.dataSource("reader").getConnection())) {
                    return reader.value(Long.class, "SELECT count(*) FROM oneroof.event_outbox");
                }
            });
            backends.awaitLockWait("reader");
            mover.run("COMMIT");

            assertThat(read.get()).isEqualTo(1);
        }
    }

    @Test
    void refusesNonsense(TestDatabase database) {
        assertThatThrownBy(() -> ensure(database, -1)).hasMessageContaining("months_ahead: '-1'");
        assertThatThrownBy(() -> ensure(database, 121)).hasMessageContaining("allowed are 0 to 120");
        assertThatThrownBy(() -> drop(database, Duration.ofHours(23)))
                .hasMessageContaining("keep: '23:00:00' is not allowed; allowed is 1 day or more");
    }

    @OnEveryServer
    void dropsWhatNobodyReads(TestDatabase database) {
        oldMonths(database);

        assertThat(drop(database, Duration.ofDays(30))).containsExactly("event_outbox_202401", "event_outbox_202402");

        assertThat(rows(database)).hasSize(1);
        assertThat(months(database)).hasSize(3);
    }

    @OnEveryServer
    void keepsWhatIsYoungerThanAsked(TestDatabase database) {
        oldMonths(database);

        assertThat(drop(database, Duration.ofDays(36_500))).isEmpty();
        assertThat(rows(database)).hasSize(3);
    }

    @OnEveryServer
    void keepsWhatACursorHasNotSettled(TestDatabase database) {
        oldMonths(database);
        cursor(database, "done", "2024-03-01 00:00:00Z", null);
        cursor(database, "fresh", null, null);
        assertThat(drop(database, Duration.ofDays(30))).isEmpty();

        settle(database, "2024-01-15 00:00:00Z", "00000000-0000-7000-8000-000000000000");
        assertThat(drop(database, Duration.ofDays(30)))
                .as("the one row of January lies just behind")
                .isEmpty();

        settle(database, "2024-01-15 00:00:00Z", "ffffffff-ffff-7fff-bfff-ffffffffffff");
        assertThat(drop(database, Duration.ofDays(30))).containsExactly("event_outbox_202401");

        settle(database, "2024-02-15 00:00:00Z", null);
        assertThat(drop(database, Duration.ofDays(30)))
                .as("a watermark without an id lies behind all rows of its time")
                .containsExactly("event_outbox_202402");
    }

    @Test
    void keepsWhatIsReadInAnotherOrder(TestDatabase database) {
        oldMonths(database);
        database.run("INSERT INTO oneroof.tail_source (source_name, relation_schema, relation_name, id_column, id_type,"
                + " order_contract, registered_by)"
                + " VALUES ('by_id', 'oneroof', 'event_outbox', 'id', 'uuid', 'external', 'test')");
        database.run("INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name, settled_id)"
                + " VALUES ('w', 'by_id', 'ffffffff-ffff-7fff-bfff-ffffffffffff')");

        assertThat(drop(database, Duration.ofDays(30))).isEmpty();
    }

    @OnEveryServer
    void leavesAMonthThatSomebodyStillReads(TestDatabase database) {
        oldMonths(database);
        try (Sql open = database.sql()) {
            open.run("BEGIN");
            open.run("SELECT count(*) FROM oneroof.event_outbox");

            assertThat(drop(database, Duration.ofDays(30))).isEmpty();

            open.run("COMMIT");
        }
        assertThat(drop(database, Duration.ofDays(30))).hasSize(2);
    }

    private static void oldMonths(TestDatabase database) {
        append(database, "2024-01-15 00:00:00Z", "january");
        append(database, "2024-02-15 00:00:00Z", "february");
        database.run("SELECT oneroof.fn_outbox_partitions_ensure()");
        emit(database, "now");
    }

    private static void cursor(TestDatabase database, String worker, @Nullable String ts, @Nullable String id) {
        database.run(
                "INSERT INTO oneroof.gov_worker_cursor (worker_name, source_name, settled_ts, settled_id)"
                        + " VALUES (?, 'event_outbox', ?, ?)",
                worker,
                ts,
                id);
    }

    private static void settle(TestDatabase database, String ts, @Nullable String id) {
        database.run(
                "UPDATE oneroof.gov_worker_cursor SET settled_ts = ?, settled_id = ? WHERE worker_name = 'fresh'",
                ts,
                id);
    }

    private static void emit(TestDatabase database, String ref) {
        database.run("SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', ?, 'a', 's')", ref);
    }

    /** As the owner could: at a time of the test's choice. */
    private static void append(TestDatabase database, String createdAt, String ref) {
        database.run(
                "INSERT INTO oneroof.event_outbox (event_domain, event_type, event_stream, delivery_lane, event_severity,"
                        + " event_subject_table, event_subject_ref, actor_ref, source_system, created_at)"
                        + " VALUES ('system', 'x', 'alert', 'normal', 'info', 't', ?, 'a', 's', ?::timestamptz)",
                ref,
                createdAt);
    }

    private static void dropMonths(TestDatabase database) {
        months(database).forEach(month -> database.run("DROP TABLE oneroof." + month));
    }

    private static List<String> months(TestDatabase database) {
        return database.list(row -> row.getString(1), MONTHS);
    }

    private static List<String> rows(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT to_jsonb(e)::text FROM oneroof.event_outbox e ORDER BY created_at, id");
    }

    private int ensure(TestDatabase database, int ahead) {
        return db(database).inTx(tx -> partitions.ensure(tx, ahead));
    }

    private List<String> drop(TestDatabase database, Duration keep) {
        return db(database).inTx(tx -> partitions.drop(tx, keep, "keeper"));
    }

    private static Database db(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.DEFAULT);
    }
}
