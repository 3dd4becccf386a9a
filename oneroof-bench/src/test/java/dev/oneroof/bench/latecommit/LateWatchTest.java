package dev.oneroof.bench.latecommit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Sites;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@OneRoofTest
class LateWatchTest {
    @TempDir
    Path folder;

    @Test
    void listsEveryRowOnceAlsoTheOneThatCommitsLate(TestDatabase database) throws Exception {
        table(database);
        database.run("INSERT INTO public.orders (note) SELECT 'old' FROM generate_series(1, 2500)");
        Path ids = folder.resolve("ids");
        Waiting stop = new Waiting();
        try (Connection late = database.connect();
                Statement statement = late.createStatement();
                var watching = Executors.newSingleThreadExecutor()) {
            late.setAutoCommit(false);
            statement.execute("INSERT INTO public.orders (note) VALUES ('late')");
            LateWatch watch = new LateWatch(config("created_at", ids), stop);
            Future<BenchResult> result = watching.submit(() -> watch.run(Sites.of(database)));
            awaitLines(ids, 2500);
            database.run("INSERT INTO public.orders (note) VALUES ('prompt')");
            awaitLines(ids, 2501);
            late.commit();
            awaitLines(ids, 2502);
            stop.stop();

            assertThat(result.get().figures()).allMatch(Figure::holds);
            assertThat(result.get().settings()).containsEntry("acts_as", "the login");
        }
        assertThat(Files.readAllLines(ids))
                .hasSize(2502)
                .doesNotHaveDuplicates()
                .endsWith("2502", "2501");
        assertThat(database.value(Long.class, "SELECT count(*) FROM pg_namespace WHERE nspname = 'oneroof_watch'"))
                .isZero();
    }

    @Test
    void goesByTheIdsOfASequenceAndActsAsItsRoleWhereItMay(TestDatabase database) throws Exception {
        table(database);
        database.run("GRANT SELECT ON public.orders TO oneroof_server");
        database.run("INSERT INTO public.orders (note) SELECT 'old' FROM generate_series(1, 30)");
        Path ids = folder.resolve("ids");

        BenchResult result = new LateWatch(config(null, ids), new Waiting()).run(Sites.of(database));

        assertThat(result.holds()).isTrue();
        assertThat(result.settings()).containsEntry("acts_as", "oneroof_server");
        assertThat(Files.readAllLines(ids)).hasSize(30).startsWith("1", "2", "3");
    }

    @Test
    void namesAColumnThatIsNotThereAndATypeThatCannotOrder(TestDatabase database) {
        table(database);
        Path ids = folder.resolve("ids");

        assertThatThrownBy(() -> new LateWatch(config("created", ids), new Waiting()).run(Sites.of(database)))
                .hasMessage("ts: 'created' is no column of public.orders");
        assertThatThrownBy(() -> new LateWatch(config("note", ids), new Waiting()).run(Sites.of(database)))
                .hasMessage("ts: 'note' is of type text; allowed are timestamptz, timestamp, date");
    }

    private static void table(TestDatabase database) {
        database.run("""
                CREATE TABLE public.orders (
                    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    created_at timestamptz NOT NULL DEFAULT now(),
                    note       text)
                """);
        database.run("CREATE INDEX ON public.orders (created_at, id)");
    }

    private static WatchConfig config(@Nullable String ts, Path ids) {
        // With a time to wait for, the test itself says when it is over.
        return new WatchConfig(
                "public", "orders", ts, "id", ids, ts == null ? Duration.ofSeconds(1) : Duration.ofMinutes(5));
    }

    private static void awaitLines(Path ids, int lines) {
        Await.patiently()
                .until(
                        lines + " ids in the file",
                        () -> Files.exists(ids) && Files.readAllLines(ids).size() == lines);
    }
}
