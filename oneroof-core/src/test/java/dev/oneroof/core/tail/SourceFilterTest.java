package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.SourceCheck;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
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
                "born_at < '2026-01-31 09:30:00+00' AND '12:30'::time < (born_at AT TIME ZONE 'UTC')::time",
                "birth_registry.id > 3"
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
            id + 1                      | it gives integer and must give boolean
            id = 'many'                 | invalid input syntax for type integer
            count(*) > 1                | aggregate functions are not allowed
            generate_series(1, 2) = 1   | set-returning functions are not allowed
            """)
    void refusesWhatIsNone(String filter, String told, TestDatabase database, Given given) {
        given.births(1);

        assertRefused(database, filter, told);
    }

    /** Rows that begin to match when nothing of them changes would never be read again. */
    @OnEveryServer
    void refusesOneThatDependsOnMoreThanTheRow(TestDatabase database, Given given) {
        given.births(1);
        database.run("CREATE FUNCTION public.odd(n int) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN n % 2 = 1");

        for (String filter : List.of(
                "EXISTS (SELECT FROM pg_class c WHERE c.relname = entity_code)",
                "born_at < now() - interval '1 hour'",
                "born_at < 'now'",
                "random() < 0.5",
                "NOT public.odd(id)")) {
            assertRefused(
                    database,
                    filter,
                    "name a column that the writers move when the condition begins to hold, or put the condition into the worker's own SQL or handler");
        }
    }

    @Test
    void aCheckShowsOneThatWasRegisteredBefore(TestDatabase database, Given given) {
        given.births(1);
        register(database, BIRTHS);
        database.run("UPDATE oneroof.tail_source SET filter = 'born_at < now()' WHERE source_name = 'births'");

        SourceCheck check = new Sources(new Database(database.dataSource(), SchemaName.DEFAULT)).check("births");

        assertThat(check.holds()).isFalse();
        assertThat(check.broken()).singleElement().asString().startsWith("filter: 'born_at < now()' is not allowed");
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
