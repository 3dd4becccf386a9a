package dev.oneroof.core.tabletail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

@OneRoofTest
class SourceRegistrationTest {
    private static final TailSource BIRTHS = TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
            .timedBy("born_at", TimeType.TIMESTAMPTZ);

    @OnEveryServer
    void takesATableWithAUniqueIndexedKey(TestDatabase database, Given given) {
        given.births(1);
        database.run("ALTER TABLE birth_registry ALTER born_at SET NOT NULL");

        assertThat(register(database, BIRTHS)).isEmpty();
        assertThat(register(database, BIRTHS)).isEmpty();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.tail_source"))
                .isEqualTo(1);
    }

    @Test
    void tellsThatNullTimesAreNotRead(TestDatabase database, Given given) {
        given.births(1);

        assertThat(register(database, BIRTHS)).containsExactly("rows whose 'born_at' is null are not read");
    }

    @Test
    void tellsWhichIndexIsMissing(TestDatabase database) {
        database.run("CREATE TABLE public.t (at timestamptz NOT NULL, id bigint PRIMARY KEY)");

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
        assertRefused(database, source("s"), "it is no table");
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

        assertRefused(database, source("t"), "nothing keeps the order key (at, id)");
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

        assertRefused(database, BIRTHS.inBatchesOf(7), "'births' is registered with another definition");
    }

    @Test
    void refusesAContractThatTheKeyCannotKeep(TestDatabase database) {
        database.run("CREATE TABLE public.t (at timestamp NOT NULL, id bigint PRIMARY KEY)");
        TailSource local = TailSource.of("t", "public", "t", "id", IdType.BIGINT);

        assertRefused(
                database, local.timedBy("at", TimeType.TIMESTAMP, "Europe/Berlin"), "tail_source_clock_has_a_time");
        assertRefused(database, local.under(OrderContract.CLOCK), "tail_source_clock_has_a_time");
        assertThat(register(database, local.timedBy("at", TimeType.TIMESTAMP, "UTC")))
                .hasSize(1);
    }

    private static TailSource source(String table) {
        return TailSource.of(table, "public", table, "id", IdType.BIGINT).timedBy("at", TimeType.TIMESTAMPTZ);
    }

    private static List<String> register(TestDatabase database, TailSource source) {
        return new Database(database.dataSource(), SchemaName.DEFAULT)
                .inTx(tx -> new SourceStore().register(tx, source, "test"));
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
