package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.InspectionResult;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.SourceOutline;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A new row may get an id below those already read. Without a time column no reader would see it: refused. */
@OneRoofTest
class UnorderedKeyTest {
    private static final String[] WAY_OUT = {
        "allowed without a time column is a smallint, integer or bigint id whose default draws from a sequence",
        "Name a time column that orders first, or an id made in order"
    };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "uuid DEFAULT gen_random_uuid()",
                "uuid",
                "text",
                "text DEFAULT 'P' || nextval('public.numbers')",
                "numeric",
                "numeric DEFAULT nextval('public.numbers')",
                "smallint",
                "integer",
                "bigint",
                "bigint DEFAULT (random() * 1e15)::bigint",
                "bigint DEFAULT nextval('public.numbers') * 10",
                "bigint DEFAULT nextval('public.numbers'::text)"
            })
    void refusesAnIdThatIsNotMadeInOrder(String column, TestDatabase database) {
        database.run("CREATE SEQUENCE public.numbers");
        String type = column.replaceFirst(" .*", "");
        table(database, column);
        TailSource source = TailSource.of("customers", "public", "customers", "id", IdType.of(type));

        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("test"), database.dataSource())) {
            assertRefused(() -> oneroof.register(source), type);
            assertRefused(() -> oneroof.register(source.under(OrderContract.EXTERNAL)), type);
        }
        assertRefused(() -> add(database, null), type);
        assertRefused(() -> add(database, OrderContract.SEQUENCE), type);
        assertRefused(() -> add(database, OrderContract.EXTERNAL), type);
        assertNothingIsWritten(database);
    }

    /** Also where the server makes it in order of time: nothing shows which transactions hold one and have not committed. */
    @OnEveryServer
    void refusesAUuidThatTheServerMakes(TestDatabase database) {
        boolean ordered = database.value(Boolean.class, "SELECT to_regprocedure('uuidv7()') IS NOT NULL");
        table(database, "uuid DEFAULT " + (ordered ? "uuidv7()" : "gen_random_uuid()"));

        assertRefused(() -> add(database, null), "uuid");
        assertRefused(() -> add(database, OrderContract.EXTERNAL), "uuid");
        assertNothingIsWritten(database);
    }

    /** A program that was registered before the refusal came is refused when it starts again. */
    @Test
    void refusesASourceThatIsRegisteredAlready(TestDatabase database) {
        table(database, "uuid DEFAULT gen_random_uuid()");
        database.run(
                "INSERT INTO oneroof.tail_source (source_name, relation_schema, relation_name, id_column, id_type,"
                        + " order_contract, registered_by) VALUES ('customers', 'public', 'customers', 'id', 'uuid', 'external', 'x')");
        TailSource source = TailSource.of("customers", "public", "customers", "id", IdType.UUID)
                .under(OrderContract.EXTERNAL);

        assertRefused(
                () -> new Database(database.dataSource(), SchemaName.DEFAULT)
                        .useTx(tx -> new SourceStore().register(tx, source, "test")),
                "uuid");
        assertThat(sources(database).check("customers").broken())
                .singleElement()
                .asString()
                .contains(WAY_OUT);
    }

    @Test
    void refusesExternalWithoutATimeWhereASequenceMakesTheId(TestDatabase database) {
        table(database, "bigint GENERATED ALWAYS AS IDENTITY");

        assertThatThrownBy(() -> add(database, OrderContract.EXTERNAL))
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT))
                .hasMessage("contract: 'external' needs a time column; allowed without one is 'sequence',"
                        + " since public.customers_id_seq makes 'id'");
        assertNothingIsWritten(database);
        assertThat(add(database, null).warnings()).isEmpty();
    }

    /** What was proposed can be kept, once the sequence is altered as the refusal says. */
    @Test
    void saysHowToMakeASequenceFit(TestDatabase database) {
        table(database, "bigint GENERATED ALWAYS AS IDENTITY (CACHE 9)");

        String wayOut = "run: ALTER SEQUENCE public.customers_id_seq CACHE 1, or name a time column";
        assertThatThrownBy(() -> add(database, null)).hasMessageContaining(wayOut);
        assertThatThrownBy(() -> add(database, OrderContract.EXTERNAL)).hasMessageContaining(wayOut);
        assertNothingIsWritten(database);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            uuid    ; timestamptz NOT NULL
            text    ; timestamptz NOT NULL
            numeric ; date NOT NULL
            bigint  ; timestamptz
            """)
    void takesSuchAnIdBehindATimeAndSaysWhatIsLost(String type, String time, TestDatabase database) {
        database.run("CREATE TABLE public.customers (id %s PRIMARY KEY, at %s)".formatted(type, time));
        database.run("CREATE INDEX ON public.customers (at, id)");
        Sources sources = sources(database);
        TailSource source = sources.draft(new SourceOutline("customers", "public.customers", "id", "at", null, null));

        assertThat(source.contract()).isEqualTo(OrderContract.EXTERNAL);
        assertThat(sources.add(source, "ann").warnings())
                .contains("applications may set 'at', so that no barrier is sound: rows that arrive behind the re-read"
                        + " window of 10m are lost to every worker until an audit or a replay finds them");
    }

    private static void table(TestDatabase database, String column) {
        database.run("CREATE TABLE public.customers (id %s PRIMARY KEY, name text)".formatted(column));
    }

    private static InspectionResult add(TestDatabase database, @Nullable OrderContract contract) {
        Sources sources = sources(database);
        return sources.add(
                sources.draft(new SourceOutline("customers", "public.customers", "id", null, null, contract)), "ann");
    }

    private static Sources sources(TestDatabase database) {
        return new Sources(new Database(database.dataSource(), SchemaName.DEFAULT));
    }

    private static void assertRefused(Runnable act, String type) {
        assertThatThrownBy(act::run)
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT))
                .hasMessageStartingWith("id_column: 'id' (%s) is not made in order".formatted(type))
                .hasMessageContainingAll(WAY_OUT);
    }

    private static void assertNothingIsWritten(TestDatabase database) {
        assertThat(database.value(
                        Long.class, "SELECT count(*) FROM oneroof.tail_source WHERE source_name <> 'event_outbox'"))
                .isZero();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.gov_worker_cursor"))
                .isZero();
        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.operator_act"))
                .isZero();
    }
}
