package dev.oneroof.app.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.core.feature.CheckResult;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.server.Sql;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Open transactions: those that hold the settled watermarks back, and no others. */
@OneRoofTest
class ServerChecksTest {
    private static final String OWN_LABEL =
            "SELECT virtualtransaction FROM pg_locks WHERE pid = pg_backend_pid() LIMIT 1";

    /** The server's own workers have transactions too, such as those of autovacuum: nobody is to end them. */
    @Test
    void tellsOfTheSessionAndOfNoWorkerOfTheServer(TestDatabase database) throws Exception {
        try (Connection busy = database.connect();
                Statement statement = busy.createStatement();
                ExecutorService beside = Executors.newVirtualThreadPerTaskExecutor()) {
            busy.setAutoCommit(false);
            statement.execute("SET LOCAL debug_parallel_query = on");
            Future<Boolean> sleeping = beside.submit(() -> statement.execute("SELECT pg_sleep(60)"));
            Await.patiently()
                    .until(
                            "a worker that is in a transaction for a while",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                                    + " AND backend_type = 'parallel worker'"
                                                    + " AND xact_start < clock_timestamp() - interval '500 ms'")
                                    == 1);
            int session = database.value(
                    Integer.class,
                    "SELECT leader_pid FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND backend_type = 'parallel worker'");

            List<CheckResult> found = checks(address(
                            database,
                            database.address().user(),
                            database.address().password()))
                    .openTransactions(Duration.ofMillis(500));

            statement.cancel();
            assertThat(sleeping).failsWithin(Duration.ofSeconds(20));
            busy.rollback();
            assertThat(found).singleElement().satisfies(one -> {
                assertThat(one.evidence()).startsWith("pid %d of ".formatted(session));
                assertThat(one.fix()).isEqualTo("SELECT pg_terminate_backend(%d)".formatted(session));
            });
        }
    }

    /** How old those of others are is hidden from a plain login; one that is there at both looks is not of a moment. */
    @Test
    void tellsOfHiddenOnesThatStay(TestDatabase database) throws Exception {
        String login = database.name() + "_plain";
        database.run("CREATE ROLE %s LOGIN PASSWORD 'open sesame'".formatted(login));
        try (Sql stays = database.sql();
                Sql ends = database.sql();
                ExecutorService beside = Executors.newVirtualThreadPerTaskExecutor()) {
            stays.run("BEGIN");
            String staying = stays.value(String.class, OWN_LABEL);
            ends.run("BEGIN");
            String ending = ends.value(String.class, OWN_LABEL);

            Future<List<CheckResult>> looking = beside.submit(
                    () -> checks(address(database, login, "open sesame")).openTransactions(Duration.ofMinutes(5)));
            Await.patiently()
                    .until(
                            "the time between the looks",
                            () -> database.value(
                                            Long.class,
                                            "SELECT count(*) FROM pg_stat_activity WHERE usename = '%s'"
                                                            .formatted(login)
                                                    + " AND wait_event = 'PgSleep'")
                                    == 1);
            ends.run("COMMIT");

            assertThat(looking.get()).singleElement().satisfies(one -> {
                assertThat(one.level()).isEqualTo(CheckResult.Level.WARN);
                assertThat(one.evidence())
                        .startsWith("open, with a start time that this login may not see: " + staying + " of ")
                        .doesNotContain(ending + " of ");
            });
            stays.run("COMMIT");
        }
    }

    private static ServerChecks checks(DatabaseAddress address) {
        return new ServerChecks(
                new AppConfig(
                        Path.of("."),
                        0,
                        Optional.of(address),
                        SchemaConfig.DEFAULT,
                        3,
                        Duration.ofSeconds(15),
                        AppConfig.Server.DEFAULT),
                address);
    }

    private static DatabaseAddress address(TestDatabase database, String user, String password) {
        return new DatabaseAddress(
                database.address().host(), database.address().port(), database.name(), user, password, Map.of());
    }
}
