package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever PostgreSQL takes for a name can be registered and tailed. */
@OneRoofTest
class SourceNamesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPPER",
                "two words",
                "\"it's\" quo\"\"ted",
                "semi;colon--dash/*",
                "colon:name ? %s",
                "größe 表 🌍",
                "select",
                "a23456789012345678901234567890123456789012345678901234567890123"
            })
    void walksATable(String name, TestDatabase database) {
        String quoted = '"' + name.replace("\"", "\"\"") + '"';
        database.run("CREATE SCHEMA " + quoted);
        database.run("CREATE TABLE %1$s.%1$s (%1$s bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, x int)"
                .formatted(quoted));
        database.run("INSERT INTO %1$s.%1$s (x) SELECT n FROM generate_series(1, 30) n".formatted(quoted));
        database.run(
                "CREATE TABLE %1$s.timed (%1$s timestamptz NOT NULL DEFAULT now(), id uuid, PRIMARY KEY (%1$s, id))"
                        .formatted(quoted));
        database.run(
                "INSERT INTO %s.timed (id) SELECT gen_random_uuid() FROM generate_series(1, 30)".formatted(quoted));
        database.run(CopyKeys.TABLE);

        drain(database, TailSource.of("by_id", name, name, name, IdType.BIGINT));
        drain(
                database,
                TailSource.of("by_time", name, "timed", "id", IdType.UUID).timedBy(name, TimeType.TIMESTAMPTZ));

        assertThat(database.value(Long.class, "SELECT count(DISTINCT key) FROM public.seen"))
                .isEqualTo(60);
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.seen"))
                .isEqualTo(60);
    }

    private static void drain(TestDatabase database, TailSource source) {
        TailFixture tailing = new TailFixture(database, source.inBatchesOf(7), new CopyKeys());
        tailing.drain(tailing.claim("a"));
    }
}
