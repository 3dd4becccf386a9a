package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.lease.Lease;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.read.KeysetPage;
import dev.oneroof.core.tail.read.Page;
import dev.oneroof.core.tail.read.Stretch;
import dev.oneroof.core.tail.read.StretchBatches;
import dev.oneroof.core.tail.read.StretchStore;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.core.tail.source.Watermark;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
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
    void walksTheIndexBetweenTwoWatermarksOfATableThatWasNeverAnalysed(TestDatabase database, Given given) {
        given.births(100_000);
        Watermark settled = new Watermark("2026-01-01 03:00:00Z", "10800");
        Watermark bound = new Watermark("2026-02-01 00:00:00Z", null);
        KeysetPage page = new KeysetPage(source("birth_registry"), false, settled, bound, null, 5000);

        assertThat(explain(database, page))
                .contains("using birth_registry_born_at_id")
                .doesNotContain("Sort");
        assertThat(genericPlan(database, page))
                .contains("using birth_registry_born_at_id")
                .doesNotContain("Sort");
    }

    /** Under a snapshot that is held open, batches that are gone are still in the index: none of them is to be visited. */
    @OnEveryServer
    void looksUpTheKeysOfItsOwnBatchesOnly(TestDatabase database, Given given) {
        given.births(20_000);
        TailFixture tailing = new TailFixture(database, source("birth_registry"), (tx, page) -> Batch.EMPTY);
        database.run("""
                INSERT INTO oneroof.tail_stretch (worker_name, source_name, shard, keys_ts, keys_id, key_count)
                SELECT 'test_worker', 'births', 0, ARRAY['2026-01-01 00:00:00Z'], ARRAY[i::text], 1
                FROM generate_series(1, 5000) i
                """);
        database.run("ANALYZE");
        StretchBatches own = tailing.db
                .inTx(tx -> new StretchStore().open(tx, tailing.scope))
                .minus(
                        database
                                .list(
                                        row -> row.getLong(1),
                                        "SELECT batch_no FROM oneroof.tail_stretch ORDER BY batch_no")
                                .stream()
                                .skip(3)
                                .toList());
        KeysetPage page = new KeysetPage(
                source("birth_registry"),
                false,
                new Watermark("2026-01-01 00:00:00Z", "0"),
                null,
                Stretch.open(SchemaName.DEFAULT, tailing.scope, own),
                5000);

        assertThat(own.numbers()).hasSize(3);
        assertThat(explain(database, page))
                .contains("using tail_stretch_pkey")
                .containsPattern("Index Cond: .*batch_no = ANY")
                .contains("using birth_registry_born_at_id")
                .doesNotContain("Sort");
    }

    @OnEveryServer
    void hashesTheKeysHoweverManyThereAre(TestDatabase database, Given given) {
        given.births(20_000);
        database.run("ANALYZE birth_registry");
        List<String> plan = new ArrayList<>();
        TailFixture tailing = new TailFixture(database, source("birth_registry"), (tx, page) -> {
            KeysetPage late = new KeysetPage(
                    source("birth_registry"),
                    false,
                    null,
                    new Watermark("2027-01-01 00:00:00Z", null),
                    Stretch.all(SchemaName.DEFAULT, Scope.of("test_worker", "births"), Stretch.Part.TIMED),
                    100);
            plan.addAll(tx.query("EXPLAIN " + late.select("1"))
                    .bindMap(late.parameters())
                    .mapTo(String.class)
                    .list());
            return Batch.EMPTY;
        });
        database.run("""
                INSERT INTO oneroof.tail_stretch (worker_name, source_name, shard, keys_ts, keys_id, key_count)
                SELECT 'test_worker', 'births', 0,
                       array_agg('2026-01-01 00:00:00.123456+00'::text), array_agg((g * 5000 + i)::text), 5000
                FROM generate_series(1, 60) g, generate_series(1, 5000) i
                GROUP BY g
                """);
        database.run("ANALYZE oneroof.tail_stretch");

        Lease lease = tailing.claim("a");
        Await.patiently().until("a page", () -> {
            tailing.runOnce(lease);
            return !plan.isEmpty();
        });

        assertThat(String.join("\n", plan)).contains("hashed SubPlan");
    }

    @OnEveryServer
    void findsTheCursorWhereItLies(TestDatabase database, Given given) {
        given.births(1);
        TailFixture tailing = new TailFixture(database, source("birth_registry"), (tx, page) -> Batch.EMPTY);
        String sql = "EXPLAIN "
                + CursorStore.OPEN_BATCH
                        .replace(":timeout", "'1s'")
                        .replace(":idle", "'1s'")
                        .replace(":epoch", "1")
                        .replace(":tid", "'(0,1)'")
                        .replace(":worker", "'w'")
                        .replace(":source", "'s'")
                        .replace(":shard", "0");

        assertThat(String.join("\n", database.list(row -> row.getString(1), sql)))
                .contains("Tid Scan");
        assertThat(tailing.cursor()).isNotNull();
    }

    @OnEveryServer
    void fetchesTheRowsOfACapturedBatchByTheirKeys(TestDatabase database, Given given) {
        given.births(50_000);
        database.run("ANALYZE birth_registry");
        List<String> plan = new ArrayList<>();
        TailFixture tailing = new TailFixture(database, source("birth_registry"), (tx, page) -> {
            plan.addAll(tx.query("EXPLAIN " + page.select("1"))
                    .bindMap(page.parameters())
                    .mapTo(String.class)
                    .list());
            return Batch.EMPTY;
        });
        try (Sql open = database.sql()) {
            // Somebody is open: the rows are handed out ahead of the barrier.
            open.run("BEGIN; SELECT txid_current()");
            tailing.runOnce(tailing.claim("a"));
            open.run("ROLLBACK");
        }
        database.run("DELETE FROM oneroof.gov_worker_cursor");

        // Index-only where a vacuum happened to come by.
        assertThat(String.join("\n", plan))
                .startsWith("Sort")
                .contains("Nested Loop")
                .containsPattern("Index (Only )?Scan using birth_registry_");
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

        String plan = explain(database, new KeysetPage(source("parted"), true, late, null, null, 10));

        assertThat(plan).contains("Subplans Removed: 7", "on day_8", "on day_9").doesNotContain("day_7", "Sort");
    }

    private static String plan(TestDatabase database, @Nullable Watermark after, int limit) {
        return explain(database, new KeysetPage(source("birth_registry"), false, after, null, null, limit));
    }

    /** The plan for whatever watermarks may come, which a prepared statement gets after a while. */
    private static String genericPlan(TestDatabase database, KeysetPage page) {
        String positional = page.select("1")
                .replace(":page_after_ts", "$1")
                .replace(":page_after_id", "$2")
                .replace(":page_up_to_ts", "$3");
        try (Sql sql = database.sql()) {
            sql.run("SET enable_sort = off");
            sql.run("SET plan_cache_mode = force_generic_plan");
            sql.run("PREPARE page (text, text, text) AS " + positional);
            return String.join(
                    "\n",
                    sql.list(
                            row -> row.getString(1),
                            "EXPLAIN EXECUTE page ('2026-01-01 03:00:00Z', '10800', '2026-02-01 00:00:00Z')"));
        }
    }

    private static String explain(TestDatabase database, Page page) {
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);
        List<String> lines = db.inTx(tx -> {
            // As every batch has it.
            tx.update("SET LOCAL enable_sort = off").execute();
            return tx.query("EXPLAIN " + page.select("1"))
                    .bindMap(page.parameters())
                    .mapTo(String.class)
                    .list();
        });
        return String.join("\n", lines);
    }

    private static TailSource source(String table) {
        return TailSource.of("births", "public", table, "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .inBatchesOf(100)
                .polledEvery(Duration.ofMillis(50));
    }
}
