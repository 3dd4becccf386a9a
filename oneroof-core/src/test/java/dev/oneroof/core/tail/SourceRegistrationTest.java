package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.Mode;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@OneRoofTest
class SourceRegistrationTest {
    private static final TailSource BIRTHS = TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
            .timedBy("born_at", TimeType.TIMESTAMPTZ);

    @OnEveryServer
    void takesATableWithAUniqueIndexedKey(TestDatabase database, Given given) {
        given.births(1);
        database.run("ALTER TABLE birth_registry ALTER born_at SET NOT NULL, ALTER born_at SET DEFAULT now()");

        assertThat(register(database, BIRTHS)).isEmpty();
        assertThat(register(database, BIRTHS)).isEmpty();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.tail_source WHERE source_name = 'births'"))
                .isEqualTo(1);
    }

    @Test
    void tellsThatNullTimesAreNotRead(TestDatabase database, Given given) {
        given.births(1);
        database.run("ALTER TABLE birth_registry ALTER born_at SET DEFAULT now()");

        assertThat(register(database, BIRTHS))
                .containsExactly(
                        "rows whose 'born_at' is null have no position in the order; they are searched every few seconds");
    }

    @Test
    void tellsWhichIndexIsMissing(TestDatabase database) {
        database.run("CREATE TABLE public.t (at timestamptz NOT NULL DEFAULT now(), id bigint PRIMARY KEY)");

        assertThat(register(database, source("t")))
                .containsExactly(
                        "no index carries the order key; run: CREATE INDEX CONCURRENTLY ON \"public\".\"t\" (\"at\", \"id\")");
    }

    @Test
    void refusesWhatIsNoTable(TestDatabase database) {
        database.run("CREATE VIEW public.v AS SELECT now() AS at, 1::bigint AS id");
        database.run("CREATE MATERIALIZED VIEW public.m AS SELECT now() AS at, 1::bigint AS id");
        database.run("CREATE SEQUENCE public.s");

        assertRefused(database, source("v"), "\"public\".\"v\" cannot be tailed: a view has no order of its own");
        assertRefused(database, source("m"), "\"public\".\"m\" cannot be tailed: a view has no order of its own");
        assertRefused(database, source("s"), "it is not a table");
        assertRefused(database, source("nothing"), "\"public\".\"nothing\" does not exist");
    }

    @Test
    void refusesATableThatItMayNotRead(TestDatabase database, Given given) {
        given.births(1);
        Database asServer = new Database(database.dataSource(), SchemaName.DEFAULT);

        assertThatThrownBy(() -> asServer.useTx(tx -> {
                    tx.update("SET LOCAL ROLE oneroof_server").execute();
                    new SourceStore().register(tx, BIRTHS, "test");
                }))
                .hasMessageContaining("may not be read")
                .hasMessageContaining("GRANT SELECT ON \"public\".\"birth_registry\"");
    }

    @Test
    void refusesAKeyThatIsNotUnique(TestDatabase database) {
        database.run("CREATE TABLE public.t (at timestamptz NOT NULL, id bigint)");
        database.run("CREATE INDEX ON public.t (at, id)");
        database.run("CREATE UNIQUE INDEX ON public.t (at, id) WHERE id > 0");

        assertRefused(database, source("t"), "the order key (at, id) of \"public\".\"t\" is not unique");
    }

    @Test
    void refusesColumnsThatAreNotAsDeclared(TestDatabase database) {
        database.run("CREATE TABLE public.t (at timestamp NOT NULL, id integer PRIMARY KEY)");

        assertRefused(database, source("t"), "id_column: 'id' is of type integer and was declared as bigint");
        assertRefused(
                database,
                TailSource.of("t", "public", "t", "id", IdType.INTEGER).timedBy("at", TimeType.TIMESTAMPTZ),
                "ts_column: 'at' is of type timestamp without time zone and was declared as timestamptz");
        assertRefused(
                database,
                TailSource.of("t", "public", "t", "code", IdType.INTEGER),
                "id_column: there is no column 'code'");
    }

    @Test
    void refusesAnotherDefinitionUnderTheSameName(TestDatabase database, Given given) {
        given.births(1);
        register(database, BIRTHS);

        assertRefused(
                database,
                BIRTHS.inBatchesOf(7),
                "'births' is registered with another definition: batch_size is 5000 and not 7");
        assertThatThrownBy(() -> register(
                        database, BIRTHS.in(Mode.STRICT).where("id > 3").polledEvery(Duration.ofMillis(250))))
                .hasMessageEndingWith("another definition: mode is 'prompt' and not 'strict',"
                        + " filter is none and not 'id > 3', poll_interval is 1s and not 250ms;"
                        + " alter the source, or ask for the definition that it has");
    }

    @OnEveryServer
    void refusesATableWhoseRowsOrTransactionsItCannotSee(TestDatabase database) {
        database.run("CREATE EXTENSION IF NOT EXISTS file_fdw");
        database.run("CREATE SERVER elsewhere FOREIGN DATA WRAPPER file_fdw");
        database.run(
                "CREATE FOREIGN TABLE public.f (at timestamptz, id bigint) SERVER elsewhere OPTIONS (filename 'x')");
        database.run("CREATE TABLE public.parted (at timestamptz, id bigint) PARTITION BY RANGE (at)");
        database.run("CREATE FOREIGN TABLE public.part PARTITION OF public.parted DEFAULT SERVER elsewhere"
                + " OPTIONS (filename 'x')");
        database.run("CREATE TABLE public.parent (at timestamptz, id bigint PRIMARY KEY)");
        database.run("CREATE TABLE public.child () INHERITS (public.parent)");

        assertRefused(database, source("f"), "a foreign table's transactions cannot be seen from here");
        assertRefused(database, source("parted"), "a partition is a foreign table");
        assertRefused(database, source("parent"), "other tables inherit from it");
        assertRefused(
                database, TailSource.of("c", "pg_catalog", "pg_class", "relname", IdType.TEXT), "it is a system table");
    }

    @Test
    void refusesATemporaryTable(TestDatabase database) {
        assertThatThrownBy(() -> new Database(database.dataSource(), SchemaName.DEFAULT).useTx(tx -> {
                    tx.update("CREATE TEMPORARY TABLE brief (id bigint PRIMARY KEY)")
                            .execute();
                    String schema = tx.query("SELECT nspname FROM pg_namespace WHERE oid = pg_my_temp_schema()")
                            .mapTo(String.class)
                            .one();
                    new SourceStore().register(tx, TailSource.of("t", schema, "brief", "id", IdType.BIGINT), "test");
                }))
                .hasMessageContaining("a temporary table exists for one session only");
    }

    @Test
    void tellsThatACrashEmptiesAnUnloggedTable(TestDatabase database) {
        database.run("CREATE UNLOGGED TABLE public.t (at timestamptz NOT NULL DEFAULT now(), id bigint,"
                + " PRIMARY KEY (at, id))");

        assertThat(register(database, source("t")))
                .containsExactly(
                        "\"public\".\"t\" is unlogged: a crash of the server empties it, also of rows that were not read yet");
    }

    @OnEveryServer
    void refusesATableWhoseRowsMayBeHidden(TestDatabase database) {
        database.run("CREATE TABLE public.t (at timestamptz NOT NULL DEFAULT now(), id bigint, PRIMARY KEY (at, id))");
        database.run("GRANT SELECT ON public.t TO oneroof_server");
        database.run("ALTER TABLE public.t ENABLE ROW LEVEL SECURITY");
        database.run("CREATE POLICY few ON public.t FOR SELECT TO oneroof_server USING (id > 0)");

        assertThat(register(database, source("t")))
                .as("hidden from no superuser")
                .isEmpty();
        database.run("DELETE FROM oneroof.tail_source");
        assertThatThrownBy(() -> registerAsServer(database, source("t")))
                .hasMessageContaining("row-level security may hide rows of \"public\".\"t\"")
                .hasMessageContaining("CREATE POLICY");
        database.run("CREATE POLICY every ON public.t FOR SELECT TO oneroof_server USING (true)");
        assertThat(registerAsServer(database, source("t"))).isEmpty();
        database.run("CREATE POLICY less ON public.t AS RESTRICTIVE TO public USING (id > 0)");
        assertThatThrownBy(() -> registerAsServer(database, source("t"))).hasMessageContaining("row-level security");
    }

    @Test
    void refusesAZoneThatTheServerDoesNotKnow(TestDatabase database) {
        database.run("CREATE TABLE public.t (at timestamp NOT NULL, id bigint PRIMARY KEY)");
        TailSource local = TailSource.of("t", "public", "t", "id", IdType.BIGINT);

        assertRefused(
                database,
                local.timedBy("at", TimeType.TIMESTAMP, "Mars/Olympus"),
                "time_zone: 'Mars/Olympus' is not known to the server");
        assertRefused(
                database, local.timedBy("at", TimeType.TIMESTAMP, null), "time_zone: 'at' is a timestamp without zone");
    }

    @Test
    void refusesANameThatItsStatementsCannotHold(TestDatabase database) {
        database.run("CREATE TABLE public.\"inch\"\"\" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)");

        assertRefused(
                database,
                TailSource.of("t", "public", "inch\"", "id", IdType.BIGINT),
                "relation: 'inch\"' ends with a double quote");
    }

    @Test
    void refusesValuesOutOfBounds() {
        assertThatThrownBy(() -> TailSource.of("Births", "public", "t", "id", IdType.BIGINT))
                .hasMessageContaining("source: 'Births' is not allowed");
        assertThatThrownBy(() -> BIRTHS.inBatchesOf(0)).hasMessageContaining("batch_size: '0' is not allowed");
        assertThatThrownBy(() -> BIRTHS.inBatchesOf(50_001)).hasMessageContaining("from 1 to 50000");
        assertThatThrownBy(() -> BIRTHS.polledEvery(Duration.ZERO))
                .hasMessage(
                        "poll_interval: '0s' is not allowed; allowed are whole milliseconds, above zero and up to 1 day");
        assertThatThrownBy(() -> BIRTHS.behindAfter(Duration.ofSeconds(-1)))
                .hasMessageContaining("lag_threshold: '-1s'");
        assertThatThrownBy(() -> BIRTHS.rereading(Duration.ofDays(31)))
                .hasMessageContaining("reread_window: '31d' is not allowed")
                .hasMessageContaining("up to 30 days");
        assertThatThrownBy(() -> BIRTHS.rereading(Duration.ofNanos(1_500_000)))
                .hasMessageContaining("whole milliseconds");
    }

    @Test
    void keepsWhatWasSaidOfPaceAndWindow(TestDatabase database, Given given) {
        given.births(1);
        TailSource paced = BIRTHS.inBatchesOf(7)
                .polledEvery(Duration.ofMillis(250))
                .behindAfter(Duration.ofMinutes(42))
                .rereading(Duration.ofHours(3))
                .in(Mode.STRICT)
                .where("entity_code LIKE 'E-%'");
        register(database, paced);

        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        Optional<TailSource> found = db.inTx(tx -> new SourceStore().find(tx, "births"));
        assertThat(found).contains(paced);
    }

    private static TailSource source(String table) {
        return TailSource.of(table, "public", table, "id", IdType.BIGINT).timedBy("at", TimeType.TIMESTAMPTZ);
    }

    private static List<String> register(TestDatabase database, TailSource source) {
        return new Database(database.dataSource(), SchemaName.DEFAULT)
                .inTx(tx -> new SourceStore().register(tx, source, "test"));
    }

    private static List<String> registerAsServer(TestDatabase database, TailSource source) {
        return new Database(database.dataSource(), SchemaName.DEFAULT).inTx(tx -> {
            tx.update("SET LOCAL ROLE oneroof_server").execute();
            return new SourceStore().register(tx, source, "test");
        });
    }

    private static void assertRefused(TestDatabase database, TailSource source, String reason) {
        assertThatThrownBy(() -> register(database, source)).hasMessageContaining(reason);
        assertThat(database.value(
                        Long.class,
                        "SELECT count(*) FROM oneroof.tail_source WHERE batch_size = ?",
                        source.batchSize()))
                .isZero();
    }
}
