package dev.oneroof.core.tabletail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@OneRoofTest
class SourceFilterTest {
    private static final TailSource BIRTHS = TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
            .timedBy("born_at", TimeType.TIMESTAMPTZ);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "collection_name = 'orders'",
                "source_system IN ('e;rp', 'it''s', '--', ')')",
                "entity_code LIKE E'\\')%' AND (actor_ref IS NULL OR \"id\" > 3)",
                "born_at < now() AND '12:30'::time < born_at::time",
                "EXISTS (SELECT FROM pg_class c WHERE c.relname = entity_code)"
            })
    void takesACondition(String filter, TestDatabase database, Given given) {
        given.births(1);

        register(database, BIRTHS.where(filter));

        assertThat(database.value(
                        String.class, "SELECT filter FROM oneroof.tail_source WHERE source_name <> 'event_outbox'"))
                .isEqualTo(filter);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            ~~                          | it is empty
            true; DROP TABLE x          | without ';'
            true) OR (true              | closes a parenthesis that it has not opened
            (true                       | a parenthesis is not closed
            id > 1 --                   | comments do not belong in it
            id > 1 /* two */            | comments do not belong in it
            entity_code = 'x            | a quote is not closed
            id > $1                     | '$' does not belong
            jsonb '{}' ? 'a'            | '?' is taken for parameters
            id > :least                 | a colon is taken for a parameter
            colour = 'red'              | the server says: column "colour" does not exist
            id >                        | the server says: syntax error
            id + 1                      | must be type boolean
            id = 'many'                 | invalid input syntax for type integer
            count(*) > 1                | aggregate functions are not allowed
            generate_series(1, 2) = 1   | set-returning functions are not allowed
            """)
    void refusesWhatIsNone(String filter, String told, TestDatabase database, Given given) {
        given.births(1);

        assertRefused(database, filter, told);
    }

    @OnEveryServer
    void refusesAVolatileOne(TestDatabase database, Given given) {
        given.births(1);
        database.run("CREATE FUNCTION public.odd(n int) RETURNS boolean LANGUAGE sql VOLATILE RETURN n % 2 = 1");

        assertRefused(database, "random() < 0.5", "it is volatile");
        assertRefused(database, "id > 1 AND NOT public.odd(id)", "it is volatile");
        assertRefused(database, "id IN (SELECT 1 + (random() * 5)::int)", "it is volatile");
    }

    private static void assertRefused(TestDatabase database, String filter, String told) {
        assertThatThrownBy(() -> register(database, BIRTHS.where(filter)))
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT))
                .hasMessageStartingWith("filter: '" + filter + "' is not allowed")
                .hasMessageContaining(told);
        assertThat(database.value(
                        Long.class, "SELECT count(*) FROM oneroof.tail_source WHERE source_name <> 'event_outbox'"))
                .isZero();
    }

    private static void register(TestDatabase database, TailSource source) {
        new Database(database.dataSource(), SchemaName.DEFAULT)
                .useTx(tx -> new SourceStore().register(tx, source, "test"));
    }
}
