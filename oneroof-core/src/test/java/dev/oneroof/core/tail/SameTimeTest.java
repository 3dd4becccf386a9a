package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Very many rows of one single time: the id alone orders them. {@code -Doneroof.test.same-time-rows=1000000} makes it a
 * million.
 */
@OneRoofTest
class SameTimeTest {
    private static final int ROWS = Integer.getInteger("oneroof.test.same-time-rows", 200_000);
    private static final int ALL_SMALLINTS = 65_536;

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
                    smallint ; (n - 32769)::smallint
                    integer  ; n * 7 % 2147483629
                    bigint   ; n * 10000000000
                    uuid     ; md5(n::text)::uuid
                    text     ; md5(n::text)
                    numeric  ; n * 1e30 + n / 7.0
                    """)
    void handsOutEachRowOnce(String type, String value, TestDatabase database) {
        int rows = type.equals("smallint") ? Math.min(ROWS, ALL_SMALLINTS) : ROWS;
        database.run(
                "CREATE TABLE public.keyed (at timestamptz NOT NULL, id %s, PRIMARY KEY (at, id))".formatted(type));
        HandledRows handled = new HandledRows(database);
        TailFixture tailing = new TailFixture(
                database,
                TailSource.of("keyed", "public", "keyed", "id", IdType.of(type))
                        .timedBy("at", TimeType.TIMESTAMPTZ)
                        .polledEvery(Duration.ofMillis(50)),
                handled.effect("keyed"));
        Lease lease = tailing.claim("a");
        try (Sql open = database.sql()) {
            // Somebody is open while a part of them is there: those are handed out ahead of the barrier, by their keys.
            open.run("BEGIN; SELECT txid_current()");
            insert(database, value, "1, " + rows / 20);
            tailing.drain(lease);
            assertThat(handled.of("keyed")).isEqualTo(rows / 20);
            open.run("ROLLBACK");
        }
        insert(database, value, (rows / 20 + 1) + ", " + rows);

        handled.await(tailing, lease, "keyed", "id", rows);
    }

    private static void insert(TestDatabase database, String value, String range) {
        database.run("INSERT INTO public.keyed SELECT '2026-01-01 00:00:00Z', %s FROM generate_series(%s) n"
                .formatted(value, range));
    }
}
