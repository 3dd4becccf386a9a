package dev.oneroof.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tails as a program writes them down. */
@OneRoofTest
class OneRoofTailTest {
    private static final TailSource BIRTHS = TailSource.of("births", "public", "birth_registry", "id", IdType.INTEGER)
            .timedBy("born_at", TimeType.TIMESTAMPTZ)
            .inBatchesOf(100)
            .polledEvery(Duration.ofMillis(20));

    @Test
    void runsRowsBatchesAndStatementsSideBySide(TestDatabase database, Given given) {
        given.births(450);
        database.run("CREATE TABLE public.copy (by text, code text)");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("test"), database.dataSource())) {
            oneroof.register(BIRTHS);
            oneroof.tail("by_row", "births")
                    .reading("entity_code")
                    .eachRow((tx, row) -> tx.update("INSERT INTO public.copy VALUES ('row', :code)")
                            .bind("code", row.string("entity_code"))
                            .execute());
            oneroof.tail("by_batch", "births")
                    .reading("entity_code")
                    .inDomain("billing")
                    .inBatches((tx, rows) -> {
                        var insert = tx.connection().prepareStatement("INSERT INTO public.copy VALUES ('batch', ?)");
                        try (insert) {
                            for (var row : rows) {
                                insert.setString(1, row.string("entity_code"));
                                insert.addBatch();
                            }
                            insert.executeBatch();
                        }
                    });
            oneroof.tail("by_sql", "births")
                    .reading("entity_code")
                    .bySql("INSERT INTO public.copy SELECT :by, entity_code FROM page", Map.of("by", "sql"));
            oneroof.start();

            Await.patiently()
                    .until(
                            "three copies",
                            () -> database.value(Long.class, "SELECT count(*) FROM public.copy") == 3 * 450);
        }
        assertThat(database.list(
                        row -> row.getString(1),
                        "SELECT by || ' ' || count(DISTINCT code) FROM public.copy GROUP BY by ORDER BY by"))
                .containsExactly("batch 450", "row 450", "sql 450");
        assertThat(database.value(
                        String.class,
                        "SELECT event_domain FROM oneroof.gov_worker_cursor WHERE worker_name = 'by_batch'"))
                .isEqualTo("billing");
    }

    @Test
    void leavesNobodyToBeMissedAfterARunByHand(TestDatabase database, Given given) {
        given.births(3);
        TailSpec byHand = TailSpec.draft("by_hand", "births").eachRow((tx, row) -> {});
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("test"), database.dataSource())) {
            oneroof.register(BIRTHS);

            assertThat(oneroof.runOnce(byHand, Duration.ofSeconds(20)).rows()).isEqualTo(3);
            assertThat(scopes(database)).as("of nobody else's").isEmpty();

            database.run("SELECT oneroof.fn_queue_heartbeat_register('by_hand/births/0', 'PG_worker')");
            oneroof.runOnce(byHand, Duration.ofSeconds(20));
            assertThat(scopes(database)).as("of somebody's who is expected").containsExactly("by_hand/births/0");
        }
    }

    private static List<String> scopes(TestDatabase database) {
        return database.list(
                row -> row.getString(1),
                "SELECT executor_name FROM oneroof.queue_heartbeat WHERE executor_name NOT LIKE 'instance/%'");
    }

    @Test
    void keepsAWorkerBehindItsGate(TestDatabase database, Given given) {
        given.births(10);
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("test"), database.dataSource())) {
            oneroof.register(BIRTHS);
            oneroof.tail("gated", "births")
                    .gatedBy("billing.nobody.enabled")
                    .eachRow((tx, row) -> {
                        throw new AssertionError("the gate is missing, so it is closed");
                    })
                    .start();

            Await.patiently()
                    .until(
                            "a beat that names the gate",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM oneroof.queue_heartbeat WHERE executor_name = 'gated/births/0' AND last_tick_status = 'ok'")
                                    == 1);
        }
        assertThat(database.value(Long.class, "SELECT events_seen FROM oneroof.gov_worker_cursor"))
                .isZero();
    }

    @Test
    void takesSeveralGates() {
        TailSpec spec = TailSpec.draft("gated", "births")
                .gatedBy("billing.enabled")
                .gatedBy("mail.enabled")
                .eachRow((tx, row) -> {});

        assertThat(spec.gates()).containsExactlyInAnyOrder("billing.enabled", "mail.enabled");
    }

    @Test
    void tellsOnRegisteringWhatTheOwnerOfATableShouldKnow(TestDatabase database) {
        database.run("CREATE TABLE public.slow (id integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())");
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("test"), database.dataSource())) {
            TailSource slow = TailSource.of("slow", "public", "slow", "id", IdType.INTEGER)
                    .timedBy("at", TimeType.TIMESTAMPTZ);

            assertThat(oneroof.register(slow)).anyMatch(warning -> warning.contains("CREATE INDEX"));
            assertThatThrownBy(() -> oneroof.register(slow.inBatchesOf(1))).hasMessageContaining("another definition");
        }
    }

    @Test
    void refusesNamesThatNoCursorCanBearAndOneNameTwice(TestDatabase database) {
        try (OneRoof oneroof = OneRoof.open(RuntimeConfig.named("test"), database.dataSource())) {
            assertThatThrownBy(() -> oneroof.tail("My Worker", "births"))
                    .isInstanceOf(OneRoofException.class)
                    .hasMessageStartingWith("worker: 'My Worker' is not a name");
            assertThatThrownBy(() -> oneroof.tail("copier", "a/b"))
                    .hasMessageStartingWith("source: 'a/b' is not a name");

            assertThatThrownBy(() -> oneroof.tail("jobs", "births").eachRow((tx, row) -> {}))
                    .hasMessage("worker: 'jobs' is not allowed; allowed are names other than instance, job_keeper,"
                            + " jobs, stale_check, which OneRoof reserves");

            oneroof.tail("copier", "births").eachRow((tx, row) -> {});
            assertThatThrownBy(() -> oneroof.tail("copier", "births").eachRow((tx, row) -> {}))
                    .hasMessageContaining("'copier/births/0' is there already");
        }
    }
}
