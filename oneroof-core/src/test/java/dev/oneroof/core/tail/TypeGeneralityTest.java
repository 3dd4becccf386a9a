package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** One family of cursors reads tables of every type of key, each row once, however many share one time. */
@OneRoofTest
class TypeGeneralityTest {
    private static final String BERLIN = "Europe/Berlin";

    @ParameterizedTest
    @EnumSource(Mode.class)
    void readsBirthsChangelogAndOutboxSideBySide(Mode mode, TestDatabase database, Given given) {
        given.births(300);
        database.run("UPDATE birth_registry SET born_at = date_trunc('minute', born_at)");
        changelog(database);
        database.run("INSERT INTO registry_changelog (timestamp, entity_code)"
                + " SELECT now() AT TIME ZONE 'UTC', n::text FROM generate_series(1, 150) n");
        database.run("SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', n::text, 'a', 's')"
                + " FROM generate_series(1, 150) n");
        database.run("UPDATE oneroof.tail_source SET batch_size = 40, poll_interval = '50 ms', mode = ?", mode.sql());
        HandledRows handled = new HandledRows(database);
        Map<String, TailFixture> tails = new LinkedHashMap<>();
        tails.put("birth_registry", new TailFixture(database, births().in(mode), handled.effect("birth_registry")));
        tails.put(
                "registry_changelog",
                new TailFixture(database, changes().in(mode), handled.effect("registry_changelog")));
        tails.put(
                "oneroof.event_outbox",
                new TailFixture(database, outbox(database), handled.effect("oneroof.event_outbox")));

        // A writer of all three that commits late, behind keys that have been read.
        try (Sql late = database.sql()) {
            late.run("BEGIN");
            late.run("INSERT INTO birth_registry (born_at, collection_name, entity_code) SELECT now(), 'late', n::text"
                    + " FROM generate_series(1, 50) n");
            late.run("INSERT INTO registry_changelog (timestamp, entity_code) SELECT now() AT TIME ZONE 'UTC', n::text"
                    + " FROM generate_series(1, 50) n");
            late.run("SELECT oneroof.fn_iu_emit_event('system', 'queue_worker_silent', 't', n::text, 'a', 's')"
                    + " FROM generate_series(1, 50) n");
            database.run(
                    "INSERT INTO birth_registry (born_at, collection_name, entity_code) VALUES (now(), 'ahead', '')");
            Map<String, Lease> leases = new LinkedHashMap<>();
            tails.forEach((name, tailing) -> leases.put(name, tailing.claim("a")));
            tails.forEach((name, tailing) -> tailing.drain(lease(leases, name)));
            late.run("COMMIT");

            handled.await(tail(tails, "birth_registry"), lease(leases, "birth_registry"), "birth_registry", "id", 351);
            handled.await(
                    tail(tails, "registry_changelog"),
                    lease(leases, "registry_changelog"),
                    "registry_changelog",
                    "id",
                    200);
            handled.await(
                    tail(tails, "oneroof.event_outbox"),
                    lease(leases, "oneroof.event_outbox"),
                    "oneroof.event_outbox",
                    "id",
                    200);
        }
        assertThat(database.list(row -> row.getString(1), "SELECT DISTINCT worker_name FROM oneroof.gov_worker_cursor"))
                .containsExactly("test_worker");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
                    smallint ; PROMPT ; (n - 100)::smallint
                    smallint ; STRICT ; (n - 100)::smallint
                    integer  ; PROMPT ; n * 100000
                    integer  ; STRICT ; n * 100000
                    bigint   ; PROMPT ; n * 10000000000
                    bigint   ; STRICT ; n * 10000000000
                    uuid     ; PROMPT ; md5(n::text)::uuid
                    uuid     ; STRICT ; md5(n::text)::uuid
                    text     ; PROMPT ; CASE n % 3 WHEN 0 THEN 'É' WHEN 1 THEN 'e' ELSE 'Z' END || n || '''":\\'
                    text     ; STRICT ; CASE n % 3 WHEN 0 THEN 'É' WHEN 1 THEN 'e' ELSE 'Z' END || n || '''":\\'
                    numeric  ; PROMPT ; n * 1e30 + n / 7.0
                    numeric  ; STRICT ; n * 1e30 + n / 7.0
                    """)
    void handsOutRowsOfOneTimeOnceWhenSomeCommitLate(String type, Mode mode, String value, TestDatabase database) {
        keyed(database, type);
        HandledRows handled = new HandledRows(database);
        TailFixture tailing =
                new TailFixture(database, keyedSource(type).in(mode).inBatchesOf(30), handled.effect("keyed"));
        Lease lease = tailing.claim("a");
        // Three writers with the very same time; even the one that commits last has keys among the others'.
        String sameTime = database.value(String.class, "SELECT (now() - interval '3 s')::text");
        try (Sql late = database.sql()) {
            late.run("BEGIN");
            late.run(insert(value, sameTime, "n % 3 = 0"));
            database.run(insert(value, sameTime, "n % 3 = 1"));
            tailing.drain(lease);
            database.run(insert(value, sameTime, "n % 3 = 2"));
            tailing.drain(lease);
            late.run("COMMIT");
        }

        handled.await(tailing, lease, "keyed", "id", 200);
    }

    /** Clocks of the session's zone go back at one hour and forward over another; the rows are of UTC. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void readsAChangelogOfUtcInASessionZoneWithSummertime(Mode mode, TestDatabase database) {
        changelog(database);
        database.run("INSERT INTO registry_changelog (timestamp, entity_code)"
                + " SELECT t + n / 10 * interval '5 minutes', n::text"
                + " FROM (VALUES (timestamp '2025-03-29 23:00:00'), ('2025-10-25 23:00:00')) v (t),"
                + " generate_series(0, 599) n");
        HandledRows handled = new HandledRows(database);
        DataSource berlin = inZone(database.dataSource(), BERLIN);
        TailFixture tailing =
                new TailFixture(berlin, changes().in(mode).inBatchesOf(70), handled.effect("registry_changelog"));
        Lease lease = tailing.claim("a");
        tailing.drain(lease);

        handled.await(tailing, lease, "registry_changelog", "id", 1200);
        // A row of now is neither hours ahead of the clock nor behind it.
        database.run(
                "INSERT INTO registry_changelog (timestamp, entity_code) VALUES (now() AT TIME ZONE 'UTC', 'now')");
        handled.await(tailing, lease, "registry_changelog", "id", 1201);
        assertThat(database.value(
                        Boolean.class,
                        "SELECT last_watermark_ts::timestamp <= clock_timestamp() AT TIME ZONE 'UTC'"
                                + " FROM oneroof.gov_worker_cursor"))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"timestamptz,", "timestamp,UTC"})
    void handlesTheEndsOfTimeOnceAndKeepsHeadAtTheClock(String type, @Nullable String zone, TestDatabase database) {
        database.run("CREATE TABLE public.keyed (at %s NOT NULL, id uuid, PRIMARY KEY (at, id))".formatted(type));
        // A timestamp without zone takes no notice of the +00.
        database.run(
                "INSERT INTO public.keyed SELECT t::%s, gen_random_uuid() FROM unnest(ARRAY['-infinity', 'infinity',"
                                .formatted(type)
                        + " '4714-11-24 00:00:00+00 BC', '294276-12-31 23:59:59.999999+00']) t, generate_series(1, 25)");
        HandledRows handled = new HandledRows(database);
        TailSource source = TailSource.of("keyed", "public", "keyed", "id", IdType.UUID)
                .timedBy("at", TimeType.of(type), zone)
                .inBatchesOf(10)
                .polledEvery(Duration.ofMillis(50));
        TailFixture tailing =
                new TailFixture(inZone(database.dataSource(), "Pacific/Marquesas"), source, handled.effect("keyed"));
        Lease lease = tailing.claim("a");

        handled.await(tailing, lease, "keyed", "id", 100);
        database.run(
                "INSERT INTO public.keyed SELECT now() AT TIME ZONE %s, gen_random_uuid() FROM generate_series(1, 25)"
                        .formatted(zone == null ? "current_setting('timezone')" : "'UTC'"));
        handled.await(tailing, lease, "keyed", "id", 125);
        // The same once more for whoever comes next, with nothing in memory.
        handled.await(tailing, tailing.claim("b"), "keyed", "id", 125);

        assertThat(headIsNotAhead(database, type)).isTrue();
    }

    /** Strict keeps the order of the keys: what is dated in the future waits for its time, and holds up nothing. */
    @ParameterizedTest
    @CsvSource({"timestamptz,", "timestamp,UTC"})
    void keepsTheEndOfTimeForLaterWhereItIsStrict(String type, @Nullable String zone, TestDatabase database) {
        database.run(
                "CREATE TABLE public.keyed (at %s NOT NULL, id bigint PRIMARY KEY, UNIQUE (at, id))".formatted(type));
        database.run("INSERT INTO public.keyed SELECT t::%s, row_number() OVER () FROM unnest(ARRAY['-infinity',"
                        .formatted(type)
                + " 'infinity', '294276-01-01', '2020-01-01']) t, generate_series(1, 25)");
        HandledRows handled = new HandledRows(database);
        TailSource source = TailSource.of("keyed", "public", "keyed", "id", IdType.BIGINT)
                .timedBy("at", TimeType.of(type), zone)
                .in(Mode.STRICT)
                .inBatchesOf(10)
                .polledEvery(Duration.ofMillis(50));
        TailFixture tailing = new TailFixture(database, source, handled.effect("keyed"));

        handled.await(tailing, tailing.claim("a"), "keyed", "id", 50);

        assertThat(headIsNotAhead(database, type)).isTrue();
    }

    /** A date has no barrier and is read plainly; what is dated in the future must not take the cursor with it. */
    @Test
    void handlesTheEndOfTimeOfADateAndStillReadsWhatComesLater(TestDatabase database) {
        database.run("CREATE TABLE public.keyed (at date NOT NULL, id bigint PRIMARY KEY, UNIQUE (at, id))");
        database.run("INSERT INTO public.keyed SELECT t::date, row_number() OVER ()"
                + " FROM unnest(ARRAY['-infinity', 'infinity', '294276-12-31']) t, generate_series(1, 25)");
        HandledRows handled = new HandledRows(database);
        TailFixture tailing = new TailFixture(
                database,
                TailSource.of("keyed", "public", "keyed", "id", IdType.BIGINT)
                        .timedBy("at", TimeType.DATE)
                        .under(OrderContract.EXTERNAL)
                        .inBatchesOf(10)
                        .polledEvery(Duration.ofMillis(50)),
                handled.effect("keyed"));
        Lease lease = tailing.claim("a");
        handled.await(tailing, lease, "keyed", "id", 75);

        database.run("INSERT INTO public.keyed SELECT current_date, 100 + n FROM generate_series(1, 25) n");

        handled.await(tailing, lease, "keyed", "id", 100);
    }

    private static boolean headIsNotAhead(TestDatabase database, String type) {
        return database.value(
                Boolean.class,
                "SELECT last_watermark_ts::%s <= clock_timestamp() %s FROM oneroof.gov_worker_cursor"
                        .formatted(type, type.equals("timestamptz") ? "" : "AT TIME ZONE 'UTC'"));
    }

    private static void keyed(TestDatabase database, String type) {
        database.run(
                "CREATE TABLE public.keyed (at timestamptz NOT NULL, id %s, PRIMARY KEY (at, id))".formatted(type));
    }

    private static String insert(String value, String time, String which) {
        return "INSERT INTO public.keyed SELECT '%s', %s FROM generate_series(1, 200) n WHERE %s"
                .formatted(time, value, which);
    }

    private static TailSource keyedSource(String type) {
        return TailSource.of("keyed", "public", "keyed", "id", IdType.of(type))
                .timedBy("at", TimeType.TIMESTAMPTZ)
                .polledEvery(Duration.ofMillis(50));
    }

    private static TailSource births() {
        return TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .inBatchesOf(40)
                .polledEvery(Duration.ofMillis(50));
    }

    private static TailSource changes() {
        return TailSource.of("changes", "public", "registry_changelog", "id", IdType.INTEGER)
                .timedBy("timestamp", TimeType.TIMESTAMP, "UTC")
                .inBatchesOf(40)
                .polledEvery(Duration.ofMillis(50));
    }

    private static void changelog(TestDatabase database) {
        database.run("CREATE TABLE registry_changelog (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " timestamp timestamp NOT NULL, entity_code text)");
        database.run("CREATE INDEX ON registry_changelog (timestamp, id)");
    }

    private static TailSource outbox(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.DEFAULT)
                .inTx(tx -> new SourceStore().find(tx, "event_outbox").orElseThrow());
    }

    private static TailFixture tail(Map<String, TailFixture> tails, String name) {
        return java.util.Objects.requireNonNull(tails.get(name));
    }

    private static Lease lease(Map<String, Lease> leases, String name) {
        return java.util.Objects.requireNonNull(leases.get(name));
    }

    /** The same connections, in another session zone. */
    private static DataSource inZone(DataSource plain, String zone) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(plain, arguments);
                    if (result instanceof Connection connection) {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("SET TIME ZONE '" + zone + "'");
                        }
                    }
                    return result;
                });
    }
}
