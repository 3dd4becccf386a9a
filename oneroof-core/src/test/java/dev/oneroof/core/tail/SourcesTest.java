package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.lease.LeaseStore;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.SourceOutline;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@OneRoofTest
class SourcesTest {
    private static final TailSource BIRTHS = TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
            .timedBy("born_at", TimeType.TIMESTAMPTZ);

    @OnEveryServer
    void draftsASourceFromWhatTheTableShows(TestDatabase database) {
        database.run("CREATE SCHEMA \"Odd\"");
        database.run("CREATE TABLE \"Odd\".\"T.1\" (id bigserial PRIMARY KEY, code varchar(9) UNIQUE,"
                + " at timestamptz DEFAULT now(), \"At\" timestamp DEFAULT (now() AT TIME ZONE 'UTC'), day date)");
        String table = "\"Odd\".\"T.1\"";
        Sources sources = sources(database);

        assertThat(sources.draft(outline(table, "ID", null, null)))
                .isEqualTo(TailSource.of("t", "Odd", "T.1", "id", IdType.BIGINT));
        assertThat(sources.draft(outline(table, "code", "AT", null)))
                .isEqualTo(TailSource.of("t", "Odd", "T.1", "code", IdType.TEXT).timedBy("at", TimeType.TIMESTAMPTZ));
        assertThat(sources.draft(outline(table, "id", "\"At\"", "UTC")).contract())
                .isEqualTo(OrderContract.CLOCK);
        assertThat(sources.draft(outline(table, "id", "\"At\"", "Asia/Tokyo")).contract())
                .isEqualTo(OrderContract.EXTERNAL);
        assertThat(sources.draft(outline(table, "id", "day", null)).contract()).isEqualTo(OrderContract.EXTERNAL);
        assertThat(sources.draft(outline(table, "code", "day", null)).contract())
                .isEqualTo(OrderContract.EXTERNAL);
    }

    @Test
    void findsATableWithoutItsSchemaAsTheSessionWould(TestDatabase database, Given given) {
        given.births(1);

        assertThat(sources(database)
                        .draft(new SourceOutline(
                                "births", "Birth_Registry", "id", "born_at", null, OrderContract.CLOCK)))
                .isEqualTo(BIRTHS);
    }

    @Test
    void refusesNamesThatAreNone(TestDatabase database) {
        database.run("CREATE TABLE public.t (id bigint PRIMARY KEY, doc jsonb)");
        Sources sources = sources(database);

        assertFails(
                () -> sources.draft(outline("two words", "id", null, null)),
                ErrorCode.INVALID_INPUT,
                "is not an SQL name");
        assertFails(() -> sources.draft(outline("a.b.c", "id", null, null)), ErrorCode.INVALID_INPUT, "schema.table");
        assertFails(() -> sources.draft(outline("nowhere", "id", null, null)), ErrorCode.NOT_FOUND, "is not found");
        assertFails(() -> sources.draft(outline("public.u", "id", null, null)), ErrorCode.NOT_FOUND, "does not exist");
        assertFails(
                () -> sources.draft(outline("t", "t.id", null, null)), ErrorCode.INVALID_INPUT, "allowed is a column");
        assertFails(() -> sources.draft(outline("t", "no", null, null)), ErrorCode.NOT_FOUND, "no column 'no'");
        assertFails(
                () -> sources.draft(outline("t", "doc", null, null)),
                ErrorCode.INVALID_INPUT,
                "'jsonb' is not supported");
        assertFails(() -> sources.draft(outline("t", "id", null, "UTC")), ErrorCode.INVALID_INPUT, "time_zone: 'UTC'");
    }

    @Test
    void tellsWhatIsSeenAndLeavesNothingBehindWhenOnlyLooking(TestDatabase database, Given given) {
        given.births(1);
        Sources sources = sources(database);

        assertThat(sources.inspect(BIRTHS).seen())
                .isEqualTo("seen are new rows, and changed ones whose writers increase 'born_at';"
                        + " a delete, or a change that keeps the key, is seen by an audit only");
        assertThat(sources.list()).noneMatch(source -> source.name().equals(BIRTHS.name()));
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.operator_act"))
                .isZero();
    }

    @OnEveryServer
    void forgetsASourceWithAllThatHangsOnIt(TestDatabase database, Given given) {
        given.births(20);
        TailFixture tailing = tailing(database);
        tailing.runOnce(tailing.claim("a"));
        Sources sources = sources(database);
        new TailFixture(database, other(), new CopyKeys());
        assertThat(sources.uses("births")).singleElement().satisfies(use -> {
            assertThat(use.worker()).isEqualTo("test_worker");
            assertThat(use.owner()).as("the lease has expired").isNull();
        });

        sources.remove("births", "ann", "moved to another registry");

        assertThat(sources.list())
                .contains(other())
                .noneMatch(source -> source.name().equals("births"));
        assertThat(database.list(row -> row.getString(1), "SELECT source_name FROM oneroof.gov_worker_cursor"))
                .containsExactly("births.2");
        assertThat(database.list(row -> row.getString(1), "SELECT executor_name FROM oneroof.queue_heartbeat"))
                .containsExactly("test_worker/births.2/0");
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.tail_stretch"))
                .isZero();
        assertThat(database.value(
                        String.class,
                        "SELECT act || ' by ' || actor || ': ' || reason || ', ' || (details ->> 'id_column')"
                                + " FROM oneroof.operator_act WHERE target = 'births' ORDER BY act_id DESC LIMIT 1"))
                .isEqualTo("source_remove by ann: moved to another registry, id");
    }

    @Test
    void keepsASourceThatSomebodyReads(TestDatabase database, Given given) {
        given.births(20);
        TailFixture tailing = tailing(database);
        Scope scope = Scope.of("test_worker", "births");
        tailing.db.useTx(tx -> new LeaseStore().claim(tx, scope, "host-1", Duration.ofHours(1)));

        assertFails(
                () -> sources(database).remove("births", "ann", "x"),
                ErrorCode.CONFLICT,
                "tailed by worker 'test_worker' of instance host-1");

        assertThat(sources(database).list()).anyMatch(source -> source.name().equals("births"));
        assertThat(tailing.cursor()).isNotNull();
    }

    /** What OneRoof itself has in hands is on no source. */
    @Test
    void takesNoneOfItsOwnForAReader(TestDatabase database, Given given) {
        given.births(1);
        Sources sources = sources(database);
        sources.add(TailSource.of("job_queue", "public", "birth_registry", "id", IdType.INTEGER), "ann");
        for (String worker : List.of("job_keeper", "stale_check", "jobs", "instance")) {
            database.run(
                    "INSERT INTO oneroof.queue_heartbeat (executor_name, executor_kind, expected_cadence_seconds,"
                            + " stale_threshold_seconds, registered_by, lease_owner, lease_until, lease_epoch)"
                            + " VALUES (? || '/job_queue/0', 'PG_worker', 5, 30, 'vm', 'vm', now() + interval '1 h', 7)",
                    worker);
        }

        sources.remove("job_queue", "ann", "x");

        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.queue_heartbeat"))
                .isEqualTo(4);
        database.run("DELETE FROM oneroof.queue_heartbeat");
    }

    @Test
    void doesNotWaitForEverForAFrozenOwner(TestDatabase database, Given given) {
        given.births(20);
        tailing(database);
        try (Sql frozen = database.sql()) {
            frozen.run("BEGIN");
            frozen.run("UPDATE oneroof.gov_worker_cursor SET events_seen = 1");

            assertFails(() -> sources(database).remove("births", "ann", "x"), ErrorCode.CONFLICT, "try again");
            frozen.run("ROLLBACK");
        }
        assertThat(sources(database).list()).anyMatch(source -> source.name().equals("births"));
    }

    @Test
    void saysThatASourceIsUnknown(TestDatabase database) {
        Sources sources = sources(database);

        assertFails(() -> sources.find("x"), ErrorCode.NOT_FOUND, "'x' is not registered");
        assertFails(() -> sources.uses("x"), ErrorCode.NOT_FOUND, "'x' is not registered");
        assertFails(() -> sources.check("x"), ErrorCode.NOT_FOUND, "'x' is not registered");
        assertFails(() -> sources.remove("x", "ann", "x"), ErrorCode.NOT_FOUND, "'x' is not registered");
    }

    @Test
    void seesWhatNoLongerHolds(TestDatabase database) {
        database.run("CREATE TABLE public.t (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)");
        Sources sources = sources(database);
        sources.add(TailSource.of("t", "public", "t", "id", IdType.BIGINT), "ann");
        assertThat(sources.check("t").holds()).isTrue();

        database.run("ALTER SEQUENCE public.t_id_seq CACHE 50");
        assertThat(sources.check("t").broken()).singleElement().asString().contains("ALTER SEQUENCE public.t_id_seq");
        database.run("DROP TABLE public.t");
        assertThat(sources.check("t").broken()).containsExactly("relation: \"public\".\"t\" does not exist");
    }

    @OnEveryServer
    void rememberByWhatATextKeyWasOrdered(TestDatabase database) {
        database.run("CREATE COLLATION public.\"Swedish\" (provider = icu, locale = 'sv')");
        database.run(
                "CREATE TABLE public.t (at timestamptz DEFAULT now(), c text COLLATE \"C\" UNIQUE, d text UNIQUE, s text COLLATE public.\"Swedish\" UNIQUE)");
        Sources sources = sources(database);
        for (String column : new String[] {"c", "d", "s"}) {
            sources.add(
                    TailSource.of(column, "public", "t", column, IdType.TEXT).timedBy("at", TimeType.TIMESTAMPTZ),
                    "ann");
        }

        assertThat(collation(database, "c")).isEqualTo("pg_catalog.\"C\" none");
        assertThat(collation(database, "d")).startsWith("default C");
        assertThat(collation(database, "s")).matches("public\\.\"Swedish\" [0-9.]+");
        assertThat(sources.check("c").holds()).isTrue();
        assertThat(sources.check("d").holds()).isTrue();
        assertThat(sources.check("s").holds()).isTrue();

        database.run("UPDATE oneroof.tail_source SET id_collation_version = '1.2.3' WHERE source_name = 's'");
        database.run("ALTER TABLE public.t ALTER c TYPE text COLLATE public.\"Swedish\"");
        assertThat(sources.check("s").broken())
                .singleElement()
                .asString()
                .contains("was ordered by public.\"Swedish\" version 1.2.3 and is now by public.\"Swedish\" version ");
        assertThat(sources.check("c").broken())
                .singleElement()
                .asString()
                .contains("was ordered by pg_catalog.\"C\" and is now by public.\"Swedish\"");
        assertThat(sources.check("d").holds()).isTrue();
    }

    @Test
    void refusesACollationToWhichDifferentTextsAreOne(TestDatabase database) {
        database.run(
                "CREATE COLLATION public.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
        database.run("CREATE TABLE public.t (code text COLLATE public.loose PRIMARY KEY)");

        assertFails(
                () -> sources(database)
                        .add(
                                TailSource.of("t", "public", "t", "code", IdType.TEXT)
                                        .under(OrderContract.EXTERNAL),
                                "ann"),
                ErrorCode.INVALID_INPUT,
                "'code' has a nondeterministic collation");
    }

    private static String collation(TestDatabase database, String source) {
        return database.value(
                String.class,
                "SELECT id_collation || ' ' || coalesce(id_collation_version, 'none') FROM oneroof.tail_source"
                        + " WHERE source_name = ?",
                source);
    }

    private static TailFixture tailing(TestDatabase database) {
        database.run(CopyKeys.TABLE);
        return new TailFixture(database, BIRTHS.inBatchesOf(5), new CopyKeys());
    }

    /** A name that begins with the other's, and has a dot where a pattern would take any letter. */
    private static TailSource other() {
        return TailSource.of("births.2", "public", "birth_registry", "id", IdType.INTEGER);
    }

    private static Sources sources(TestDatabase database) {
        return new Sources(new Database(database.dataSource(), SchemaName.DEFAULT));
    }

    private static SourceOutline outline(String table, String id, @Nullable String time, @Nullable String zone) {
        return new SourceOutline("t", table, id, time, zone, null);
    }

    private static void assertFails(Runnable act, ErrorCode code, String told) {
        assertThatThrownBy(act::run)
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(told);
    }
}
