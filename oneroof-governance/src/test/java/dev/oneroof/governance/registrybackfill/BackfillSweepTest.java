package dev.oneroof.governance.registrybackfill;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.core.tail.source.IdType;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.core.tail.source.TimeType;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.schema.Migrator;
import dev.oneroof.postgres.schema.RoleNames;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@OneRoofTest
class BackfillSweepTest {
    @OnEveryServer
    void makesACandidateOfEveryBirthWithNoMoreThanSelectOnTheSource(TestDatabase database, Given given) {
        given.births(3000);

        sweep(database, 3000);

        assertThat(database.value(Long.class, "SELECT count(*) FROM oneroof.gov_candidate_state"))
                .isEqualTo(3000);
        assertThat(database.value(Long.class, """
                        SELECT count(*)
                        FROM birth_registry b
                        JOIN oneroof.gov_candidate_state c
                          ON c.candidate_key = coalesce(b.canonical_address, b.collection_name || ':' || b.entity_code)
                         AND c.ruleset_version = 1 AND c.object_type = b.collection_name AND c.object_ref = b.entity_code
                         AND c.source = 'birth_registry' AND c.source_system = b.source_system
                         AND c.actor_ref = b.actor_ref AND c.occurred_at = b.born_at
                         AND c.dirty AND c.dirty_reason = 'seeded' AND c.input_quality_state = 'pending'
                        """)).isEqualTo(3000);
    }

    @Test
    void keepsObjectsApartWhoseNamesHoldTheSeparator(TestDatabase database, Given given) {
        given.birthRegistry();
        database.run("INSERT INTO birth_registry (born_at, collection_name, entity_code) VALUES"
                + " (now(), 'a:b', 'c'), (now(), 'a', 'b:c'), (now(), 'a\\', 'b:c'), (now(), 'a\\:b', 'c')");

        sweep(database, 4);

        assertThat(keys(database)).containsExactlyInAnyOrder("a\\:b:c", "a:b\\:c", "a\\\\:b\\:c", "a\\\\\\:b:c");
    }

    @Test
    void leavesACandidateAloneThatIsThereAlready(TestDatabase database, Given given) {
        given.birthRegistry();
        database.run(
                "INSERT INTO oneroof.gov_candidate_state (candidate_key, ruleset_version, object_type, object_ref,"
                        + " source, dirty, candidate_verdict) VALUES ('orders:E-1', 1, 'orders', 'E-1', 'elsewhere', false, 'gap')");
        database.run("INSERT INTO birth_registry (born_at, collection_name, entity_code) VALUES"
                + " (now(), 'orders', 'E-1'), (now(), 'orders', 'E-2'), (now(), 'orders', 'E-2')");

        sweep(database, 3);

        assertThat(keys(database)).containsExactlyInAnyOrder("orders:E-1", "orders:E-2");
        assertThat(database.value(
                        String.class,
                        "SELECT source || candidate_verdict FROM oneroof.gov_candidate_state WHERE object_ref = 'E-1'"))
                .isEqualTo("elsewheregap");
        assertThat(database.value(
                        String.class, "SELECT events_seen || '/' || attempts_written FROM oneroof.gov_worker_cursor"))
                .isEqualTo("3/1");
    }

    @Test
    void tellsInItsSummaryWhatTheRunHasDone(TestDatabase database, Given given) {
        given.births(450);

        sweep(database, 450);

        // Pages of a hundred, and as many of them to a batch as there was time for.
        assertThat(database.value(String.class, """
                        SELECT concat_ws(' ', phase, (s ->> 'batch_count')::integer BETWEEN 1 AND 5, s ->> 'rows_seen', s ->> 'dirty_marked', s ->> 'dlq',
                                         s ->> 'ruleset_version',
                                         (s ->> 'started_at')::timestamptz <= (s ->> 'ended_at')::timestamptz)
                        FROM (SELECT phase, last_run_summary AS s FROM oneroof.gov_worker_cursor) c
                        """)).isEqualTo("seeding t 450 450 0 1 t");
    }

    @Test
    void passesOverNoBirthWhileThereIsNoRuleset(TestDatabase database, Given given) {
        given.births(10);
        database.run(
                "UPDATE oneroof.dot_config SET key = 'governance.elsewhere' WHERE key = 'governance.ruleset_version'");
        database.run("GRANT SELECT ON birth_registry TO oneroof_server");
        try (var pool = pool(database);
                OneRoof oneroof = OneRoof.open(RuntimeConfig.named("test"), pool)) {
            start(oneroof);
            Await.patiently()
                    .until(
                            "a beat that says so",
                            () -> database.list(
                                            row -> row.getString(1),
                                            "SELECT last_tick_status FROM oneroof.queue_heartbeat WHERE executor_name LIKE 'gov%'")
                                    .equals(List.of("error")));
        }
        assertThat(database.value(Long.class, "SELECT events_seen FROM oneroof.gov_worker_cursor"))
                .isZero();
        database.run(
                "DELETE FROM oneroof.dot_config_audit WHERE key IN ('governance.elsewhere', 'governance.ruleset_version')");
        database.run(
                "UPDATE oneroof.dot_config SET key = 'governance.ruleset_version' WHERE key = 'governance.elsewhere'");

        sweep(database, 10);

        assertThat(keys(database)).hasSize(10);
    }

    @Test
    void writesToTheSchemaThatOneRoofLivesIn(TestDatabase database, Given given) throws Exception {
        given.births(10);
        SchemaConfig config = new SchemaConfig(new SchemaName("r2"), new RoleNames(database.name() + "_"));
        new Migrator(database.dataSource(), config).migrate();
        try (OneRoof oneroof =
                OneRoof.open(RuntimeConfig.named("test").withSchema(config.schema()), database.dataSource())) {
            start(oneroof);
            Await.patiently()
                    .until(
                            "all candidates",
                            () -> database.value(Long.class, "SELECT count(*) FROM r2.gov_candidate_state") == 10);
        }
        assertThat(keys(database)).isEmpty();
    }

    private static void sweep(TestDatabase database, long births) {
        database.run("GRANT SELECT ON birth_registry TO oneroof_server");
        try (var pool = pool(database);
                OneRoof oneroof = OneRoof.open(RuntimeConfig.named("test"), pool)) {
            start(oneroof);
            Await.patiently()
                    .until(
                            "all births seen",
                            () -> database.list(
                                            row -> row.getLong(1), "SELECT events_seen FROM oneroof.gov_worker_cursor")
                                    .equals(List.of(births)));
        }
    }

    private static HikariDataSource pool(TestDatabase database) {
        var address = new DatabaseAddress(
                database.address().host(),
                database.address().port(),
                database.name(),
                database.address().user(),
                database.address().password(),
                Map.of());
        return Connections.pool(address, "sweep", "oneroof_server", 3);
    }

    private static void start(OneRoof oneroof) {
        oneroof.database().useTx(tx -> new SourceStore().register(tx, births(), "test"));
        oneroof.database().useTx(tx -> new GateStore().open(tx, BackfillSweep.GATE, "test", "to sweep"));
        oneroof.tail(BackfillSweep.over("birth_registry")).start();
    }

    private static TailSource births() {
        return TailSource.of("birth_registry", "public", "birth_registry", "id", IdType.INTEGER)
                .timedBy("born_at", TimeType.TIMESTAMPTZ)
                .inBatchesOf(100)
                .polledEvery(Duration.ofMillis(20));
    }

    private static List<String> keys(TestDatabase database) {
        return database.list(row -> row.getString(1), "SELECT candidate_key FROM oneroof.gov_candidate_state");
    }
}
