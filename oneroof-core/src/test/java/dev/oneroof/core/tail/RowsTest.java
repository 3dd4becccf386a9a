package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.OrderContract;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.worker.Pass;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Handlers in Java: what they are given, and what becomes of what they throw. */
@OneRoofTest
class RowsTest {
    @OnEveryServer
    void givesEveryRowOnceAndInOrder(TestDatabase database, Given given) {
        given.births(1234);
        List<String> seen = new ArrayList<>();
        TailFixture tailing = tailing(
                database,
                births(100),
                draft().reading("entity_code").eachRow((tx, row) -> seen.add(row.string("entity_code"))));

        tailing.drain(tailing.claim("a"));

        assertThat(seen)
                .isEqualTo(database.list(
                        row -> row.getString(1), "SELECT entity_code FROM birth_registry ORDER BY born_at, id"));
        assertThat(tailing.cursor().eventsSeen()).isEqualTo(1234);
        assertThat(tailing.cursor().attemptsWritten()).isEqualTo(1234);
    }

    @Test
    void givesNoMoreThanABatchAndInTheSameTransactionAsTheCursor(TestDatabase database, Given given) {
        given.births(25);
        database.run("CREATE TABLE public.batch (rows integer, first_id bigint, last_key text)");
        TailFixture tailing = tailing(
                database,
                births(10),
                draft().inBatches((tx, rows) -> tx.update("INSERT INTO public.batch VALUES (:rows, :first, :last)")
                        .bind("rows", rows.size())
                        .bind("first", rows.getFirst().number("id"))
                        .bind("last", rows.getLast().key().id())
                        .execute()));

        tailing.drain(tailing.claim("a"));

        assertThat(database.list(row -> row.getString(1), "SELECT rows || ':' || first_id FROM public.batch"))
                .containsExactly("10:1", "10:11", "5:21");
        assertThat(database.value(String.class, "SELECT last_key FROM public.batch WHERE rows = 5"))
                .isEqualTo("25");
    }

    @Test
    void readsEachColumnAsWhatItIs(TestDatabase database) {
        database.run("""
                CREATE TABLE public.odd (
                    id serial PRIMARY KEY, "the name" text, amount numeric, at timestamptz, born date, ref uuid, gone text)
                """);
        database.run("""
                INSERT INTO public.odd VALUES
                    (7, 'Ä''"', 12.50, '2026-03-29 01:30:00.000001+02', '2026-02-28',
                     '00000000-0000-0000-0000-00000000002a', NULL)
                """);
        database.run("SELECT setval('public.odd_id_seq', 7)");
        List<Object> seen = new ArrayList<>();
        TailFixture tailing = tailing(
                database,
                numbered("odd"),
                draft().reading("the name", "amount", "at", "born", "ref", "gone")
                        .eachRow((tx, row) -> {
                            seen.add(row.number("id"));
                            seen.add(row.string("the name"));
                            seen.add(row.value("amount", BigDecimal.class));
                            seen.add(row.instant("at"));
                            seen.add(row.value("born", LocalDate.class));
                            seen.add(row.value("ref", UUID.class));
                            seen.add(row.isNull("gone") && !row.isNull("ref"));
                            seen.add(row.string("gone") == null && row.instant("at") != null);
                        }));

        tailing.drain(tailing.claim("a"));

        assertThat(seen)
                .containsExactly(
                        7L,
                        "Ä'\"",
                        new BigDecimal("12.50"),
                        Instant.parse("2026-03-28T23:30:00.000001Z"),
                        LocalDate.of(2026, 2, 28),
                        new UUID(0, 42),
                        true,
                        true);
    }

    /** The cursor is moved to the key that Java makes of a row, so it must be the row's own, whatever the time. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
                    timestamptz ;     ; ('4713-02-01 BC'), ('0044-03-15 12:00:00.5 BC'), ('1582-10-05'), ('1883-11-18 12:03:58'), ('2026-03-29 02:30'), ('2026-10-25 02:30:00.000001'), ('12026-01-01'), ('infinity'), ('-infinity')
                    timestamp   ; UTC ; ('4713-02-01 BC'), ('0044-03-15 12:00:00.5 BC'), ('1582-10-05'), ('1883-11-18 12:03:58'), ('2026-03-29 02:30'), ('2026-10-25 02:30:00.000001'), ('12026-01-01'), ('infinity'), ('-infinity')
                    date        ;     ; ('4713-02-01 BC'), ('0044-03-15 BC'), ('1582-10-05'), ('1883-11-18'), ('2026-03-29'), ('12026-01-01'), ('infinity'), ('-infinity')
                    """)
    void tellsTheKeyOfEveryTimeToTheMicrosecond(
            String type, @Nullable String zone, String values, TestDatabase database) {
        database.run("CREATE TABLE public.odd (at %s NOT NULL, id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY)"
                .formatted(type));
        // More than once each: from the fifth read on the driver gets them in another format.
        database.run("INSERT INTO public.odd (at) SELECT v.at::%s FROM (VALUES %s) v (at), generate_series(1, 3)"
                .formatted(type, values));
        database.run("CREATE TABLE public.told (id integer, at text)");
        TailFixture tailing = tailing(
                database,
                external("odd", new TailSource.TimeColumn("at", TimeType.of(type), zone))
                        .inBatchesOf(2),
                draft().eachRow((tx, row) -> tx.update("INSERT INTO public.told VALUES (:id, :at)")
                        .bind("id", row.number("id"))
                        .bind("at", row.key().ts())
                        .execute()));

        tailing.drain(tailing.claim("a"));

        assertThat(database.value(Long.class, "SELECT count(*) FROM public.told"))
                .isEqualTo(database.value(Long.class, "SELECT count(*) FROM public.odd"));
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT o.at || ' told as ' || t.at FROM public.odd o JOIN public.told t USING (id) WHERE t.at::%s <> o.at"
                                .formatted(type)))
                .isEmpty();
    }

    @Test
    void letsAHandlersExceptionThroughAndKeepsNothing(TestDatabase database, Given given) {
        given.births(20);
        database.run("CREATE TABLE public.done (id bigint)");
        TailFixture tailing = tailing(database, births(10), draft().eachRow((tx, row) -> {
            tx.update("INSERT INTO public.done VALUES (:id)")
                    .bind("id", row.number("id"))
                    .execute();
            if (row.number("id") == 5) {
                throw new IllegalStateException("five");
            }
        }));

        assertThat(tailing.runOnce(tailing.claim("a"))).isEqualTo(new Pass.Worked(0));

        assertThat(database.value(Long.class, "SELECT count(*) FROM public.done"))
                .isZero();
        assertThat(tailing.cursor().eventsSeen()).isZero();
    }

    @Test
    void wrapsACheckedExceptionSoThatItsStateCanStillBeTold(TestDatabase database, Given given) {
        given.births(20);
        TailFixture files = tailing(database, births(10), draft().eachRow((tx, row) -> {
            throw new IOException("disk full");
        }));

        files.drain(files.claim("a"));
        assertThat(database.list(row -> row.getString(1), "SELECT DISTINCT last_error FROM oneroof.event_pending"))
                .singleElement()
                .asString()
                .contains("disk full");

        RowsEffect failing = new RowsEffect(List.of(), (tx, rows) -> {
            throw new SQLException("serialization", "40001");
        });
        assertThatThrownBy(() -> files.db.inTx(
                        tx -> failing.apply(tx.asWritten(), new KeysetPage(births(10), false, null, null, null, 1))))
                .matches(SqlState::isTransient);
    }

    @Test
    void readsARowOnlyWhileItsHandlerRuns(TestDatabase database, Given given) {
        given.births(3);
        List<Row> kept = new ArrayList<>();
        TailFixture tailing = tailing(database, births(10), draft().eachRow((tx, row) -> kept.add(row)));

        tailing.drain(tailing.claim("a"));

        assertThatThrownBy(() -> kept.getFirst().number("id")).hasMessageContaining("until its handler returns");
    }

    @Test
    void namesWhatIsReadWhenAskedForSomethingElse(TestDatabase database, Given given) {
        given.births(3);
        TailFixture tailing = tailing(
                database, births(10), draft().reading("entity_code").eachRow((tx, row) -> row.string("entty_code")));

        assertThatThrownBy(() -> tailing.runOnce(tailing.claim("a")))
                .hasMessage("column: 'entty_code' is not read; read are born_at, entity_code, id");
    }

    @Test
    void refusesANullAsANumberAndAValueThatIsNone(TestDatabase database) {
        database.run("CREATE TABLE public.odd (id serial PRIMARY KEY, amount integer, name text)");
        database.run("INSERT INTO public.odd (amount, name) VALUES (NULL, 'x')");
        var asNumber = tailing(
                database, numbered("odd"), draft().reading("amount", "name").eachRow((tx, row) -> {
                    assertThat(row.value("amount", Integer.class)).isNull();
                    assertThatThrownBy(() -> row.number("amount")).hasMessageContaining("'amount' is null");
                    assertThatThrownBy(() -> row.instant("name"))
                            .hasMessage("column: 'name' cannot be read as OffsetDateTime");
                }));

        asNumber.drain(asNumber.claim("a"));

        assertThat(asNumber.cursor().eventsSeen()).isEqualTo(1);
    }

    private static TailDraft<TailSpec> draft() {
        return TailSpec.draft("test_worker", "source");
    }

    private static TailFixture tailing(TestDatabase database, TailSource source, TailSpec spec) {
        return new TailFixture(database, source, spec.effect());
    }

    private static TailSource births(int rows) {
        return TailSource.of("birth_registry", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .inBatchesOf(rows)
                .polledEvery(Duration.ofMillis(50));
    }

    private static TailSource numbered(String table) {
        return TailSource.of("odd_source", "public", table, "id", IdType.INTEGER)
                .polledEvery(Duration.ofMillis(50));
    }

    private static TailSource external(String table, TailSource.TimeColumn time) {
        return numbered(table).timedBy(time.column(), time.type(), time.zone()).under(OrderContract.EXTERNAL);
    }
}
