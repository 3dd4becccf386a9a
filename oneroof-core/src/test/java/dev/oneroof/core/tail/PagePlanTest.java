package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.database.Database;
import dev.oneroof.database.SchemaName;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

@OneRoofTest
class PagePlanTest {
    @OnEveryServer
    void walksTheIndexOfTheOrderKeyWithoutASort(TestDatabase database, Given given) {
        given.births(50_000);
        database.run("ANALYZE birth_registry");

        assertThat(plan(database, null, 500))
                .contains("using birth_registry_born_at_id")
                .doesNotContain("Sort");
        assertThat(plan(database, new Watermark("2026-01-01 03:00:00Z", "10800"), 500))
                .contains("using birth_registry_born_at_id")
                .contains("ROW(born_at, id) > ")
                .doesNotContain("Sort");
    }

    @OnEveryServer
    void prunesThePartitionsBehindTheWatermark(TestDatabase database) {
        database.run("CREATE TABLE public.parted (born_at timestamptz, id integer, PRIMARY KEY (born_at, id)) "
                + "PARTITION BY RANGE (born_at)");
        for (int day = 1; day <= 9; day++) {
            database.run(
                    "CREATE TABLE public.day_%1$d PARTITION OF public.parted FOR VALUES FROM ('2026-01-0%1$d') TO ('2026-01-0%2$d')"
                            .formatted(day, day + 1)
                            .replace("010'", "10'"));
        }
        Watermark late = new Watermark("2026-01-08 12:00:00Z", "1");

        String plan = explain(database, new KeysetPage(source("parted"), late, null, null, 10));

        assertThat(plan).contains("Subplans Removed: 7", "on day_8", "on day_9").doesNotContain("day_7", "Sort");
    }

    private static String plan(TestDatabase database, @Nullable Watermark after, int limit) {
        return explain(database, new KeysetPage(source("birth_registry"), after, null, null, limit));
    }

    private static String explain(TestDatabase database, Page page) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        List<String> lines = db.inTx(tx -> tx.query("EXPLAIN " + page.select("1"))
                .bindMap(page.parameters())
                .mapTo(String.class)
                .list());
        return String.join("\n", lines);
    }

    private static TailSource source(String table) {
        return TailSource.of("births", "public", table, "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .inBatchesOf(100)
                .polledEvery(Duration.ofMillis(50));
    }
}
