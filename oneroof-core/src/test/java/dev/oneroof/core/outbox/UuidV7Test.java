package dev.oneroof.core.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.List;
import java.util.UUID;

@OneRoofTest
class UuidV7Test {
    @OnEveryServer
    void hasVersionAndVariantWhereTheyBelong(TestDatabase database) {
        assertThat(drawn(database, 2000)).hasSize(2000).doesNotHaveDuplicates().allSatisfy(id -> {
            assertThat(id.version()).isEqualTo(7);
            assertThat(id.variant()).isEqualTo(2);
        });
    }

    @OnEveryServer
    void beginsWithTheMillisecondsOfTheServersClock(TestDatabase database) {
        List<Long> times = database.one(
                row -> List.of(
                        row.getLong(1), row.getObject(2, UUID.class).getMostSignificantBits() >>> 16, row.getLong(3)),
                "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, oneroof.fn_uuid_v7(),"
                        + " floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint");

        assertThat(times).isSorted();
    }

    @OnEveryServer
    void risesWithTheClock(TestDatabase database) {
        // Each is drawn a good tick after the last one; twenty digits in, the texts order like the ids.
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT (SELECT oneroof.fn_uuid_v7() FROM pg_sleep(0.00001 * (1 + n % 2)))::text"
                                + " FROM generate_series(1, 500) n"))
                .isSorted();
    }

    private static List<UUID> drawn(TestDatabase database, int count) {
        return database.list(
                row -> row.getObject(1, UUID.class), "SELECT oneroof.fn_uuid_v7() FROM generate_series(1, ?)", count);
    }
}
