package dev.oneroof.core.tabletail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every type of id and time is walked in the database's own order, whatever the texts of the values look like. */
@OneRoofTest
class KeyTypesTest {
    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
                    smallint ; n::smallint
                    integer  ; n * 100000
                    bigint   ; n * 10000000000
                    uuid     ; md5(n::text)::uuid
                    text     ; CASE n % 3 WHEN 0 THEN 'É' WHEN 1 THEN 'e' ELSE 'Z' END || n || '''":\\'
                    numeric  ; n * 1e30 + n / 7.0
                    """)
    void walksAnIdOnlySource(String type, String value, TestDatabase database) {
        database.run("CREATE TABLE public.\"Odd \"\"Name\" (\"the id\" %s PRIMARY KEY)".formatted(type));
        database.run("INSERT INTO public.\"Odd \"\"Name\" SELECT %s FROM generate_series(-20, 200) n".formatted(value));

        List<String> walked = walk(database, null, new TailSource.IdColumn("the id", idType(type)), "Odd \"Name");

        assertThat(walked)
                .hasSize(221)
                .isEqualTo(database.list(
                        row -> row.getString(1),
                        "SELECT \"the id\"::text FROM public.\"Odd \"\"Name\" t ORDER BY t.\"the id\""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
                    timestamptz ;     ; '2026-03-29 00:30:00.000001Z'::timestamptz + n / 3 * interval '17 minutes'
                    timestamp   ; UTC ; '2026-10-25 00:30:00.000001'::timestamp + n / 3 * interval '17 minutes'
                    date        ;     ; '0044-03-15 BC'::date + n / 3
                    """)
    void walksATimedSource(String type, @Nullable String zone, String value, TestDatabase database) {
        database.run("CREATE TABLE public.timed (at %s NOT NULL, id integer, PRIMARY KEY (at, id))".formatted(type));
        database.run("INSERT INTO public.timed SELECT %s, -n FROM generate_series(0, 200) n".formatted(value));
        var time = new TailSource.TimeColumn("at", TimeType.of(type), zone);

        List<String> walked = walk(database, time, new TailSource.IdColumn("id", IdType.INTEGER), "timed");

        assertThat(walked)
                .hasSize(201)
                .isEqualTo(database.list(
                        row -> row.getString(1), "SELECT id::text FROM public.timed t ORDER BY at, t.id"));
    }

    @Test
    void readsATimestampAlikeInEverySessionZone(TestDatabase database) {
        database.run("CREATE TABLE public.timed (at timestamptz NOT NULL, id integer, PRIMARY KEY (at, id))");
        database.run("INSERT INTO public.timed SELECT now() + n * interval '1 s', n FROM generate_series(1, 20) n");
        database.run(CopyKeys.TABLE);
        Tailing tailing = new Tailing(database, source(timed(), "timed"), new CopyKeys());
        tailing.runOnce(tailing.claim("a"));
        database.run("UPDATE oneroof.gov_worker_cursor SET last_watermark_ts = "
                + "(last_watermark_ts::timestamptz AT TIME ZONE 'Asia/Tokyo')::text || '+09'");

        tailing.drain(tailing.claim("a"));

        assertThat(database.value(Long.class, "SELECT count(DISTINCT key) FROM public.seen"))
                .isEqualTo(20);
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.seen"))
                .isEqualTo(20);
    }

    private static TailSource.TimeColumn timed() {
        return new TailSource.TimeColumn("at", TimeType.TIMESTAMPTZ, null);
    }

    private static IdType idType(String type) {
        return IdType.of(type);
    }

    private static List<String> walk(
            TestDatabase database, TailSource.@Nullable TimeColumn time, TailSource.IdColumn id, String table) {
        database.run(CopyKeys.TABLE);
        TailSource source = new TailSource(
                "odd_source",
                new TailSource.Relation("public", table),
                time,
                id,
                OrderContract.EXTERNAL,
                Mode.PROMPT,
                null,
                9,
                Duration.ofMillis(50),
                Duration.ofMinutes(5),
                Duration.ofMinutes(10));
        Tailing tailing = new Tailing(database, source, new CopyKeys());
        tailing.drain(tailing.claim("a"));
        return database.list(row -> row.getString(1), "SELECT key FROM public.seen ORDER BY no");
    }

    private static TailSource source(TailSource.TimeColumn time, String table) {
        return TailSource.of("odd_source", "public", table, "id", IdType.INTEGER)
                .timedBy(time.column(), time.type(), time.zone())
                .inBatchesOf(9)
                .polledEvery(Duration.ofMillis(50));
    }
}
