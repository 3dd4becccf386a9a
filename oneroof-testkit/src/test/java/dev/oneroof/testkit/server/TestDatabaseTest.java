package dev.oneroof.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@OneRoofTest
class TestDatabaseTest {
    private static final Set<String> NAMES = ConcurrentHashMap.newKeySet();

    @RepeatedTest(8)
    void isNewForEachTest(TestDatabase database, Given given) {
        assertThat(given.births(3).count()).isEqualTo(3);
        assertThat(NAMES.add(database.name())).isTrue();
    }

    @Test
    void isTheSameForAllParametersOfATest(TestDatabase database, TestDatabase again, Given given) {
        given.births(1);

        assertThat(again).isSameAs(database);
        assertThat(database.value(Long.class, "SELECT count(*) FROM birth_registry"))
                .isEqualTo(1);
    }

    @OnEveryServer
    void handsOutConnectionsInAnOddTimeZone(TestDatabase database) throws SQLException {
        assertThat(zone(database.connect())).isEqualTo(database.zone().getId());
        assertThat(zone(database.dataSource().getConnection()))
                .isEqualTo(database.zone().getId());
        assertThat(database.zone()).isNotEqualTo(ZoneId.systemDefault());
    }

    @Test
    void leavesTheZoneOfForeignConnectionsToTheirDriver(TestDatabase database) throws SQLException {
        // Why the zone is set after connecting: the driver's word at start-up beats the server's default.
        assertThat(zone(DriverManager.getConnection(
                        database.jdbcUrl(),
                        database.address().user(),
                        database.address().password())))
                .isEqualTo(ZoneId.systemDefault().getId());
    }

    @Test
    void tracksConnectionsUntilTheyAreClosed(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            assertThat(database.openConnections())
                    .extracting(OpenConnection::connection)
                    .containsExactly(connection);
        }
        assertThat(database.openConnections()).isEmpty();
    }

    @Test
    void usesASessionAgainAndMakesItLikeNew(TestDatabase database) {
        int pid = database.value(Integer.class, "SELECT pg_backend_pid()");
        database.run("CREATE ROLE like_new_" + database.name());
        try (Sql sql = database.sql()) {
            assertThat(sql.value(Integer.class, "SELECT pg_backend_pid()")).isEqualTo(pid);
            sql.run("SET work_mem = '64kB'");
            sql.run("CREATE TEMP TABLE left_behind ()");
            sql.run("LISTEN left_behind");
            sql.run("SELECT pg_advisory_lock(1)");
            sql.run("SET ROLE like_new_" + database.name());
            sql.run("BEGIN");
            sql.run("SET LOCAL statement_timeout = '1h'");
        } finally {
            try (Sql sql = database.sql()) {
                assertThat(sql.value(Integer.class, "SELECT pg_backend_pid()")).isEqualTo(pid);
                assertThat(
                                sql.value(
                                        Boolean.class,
                                        "SELECT current_setting('work_mem') <> '64kB' AND current_user = session_user"
                                                + " AND to_regclass('left_behind') IS NULL"
                                                + " AND NOT EXISTS (SELECT FROM pg_listening_channels())"
                                                + " AND NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'"
                                                + " AND pid = pg_backend_pid()) AND current_setting('statement_timeout') = '0'"))
                        .isTrue();
            }
            database.run("DROP ROLE like_new_" + database.name());
        }
    }

    @Test
    void passesOverASessionThatHasEnded(TestDatabase database) {
        int pid = database.value(Integer.class, "SELECT pg_backend_pid()");
        database.onServer(sql -> sql.value(Boolean.class, "SELECT pg_terminate_backend(?, 5000)", pid));
        assertThat(database.value(Integer.class, "SELECT pg_backend_pid()")).isNotEqualTo(pid);
    }

    @Test
    void namesItsSessionsLikeTheDatabase(TestDatabase database) {
        assertThat(database.value(String.class, "SHOW application_name")).isEqualTo(database.name());
    }

    @Test
    void saysTheStatementThatFailed(TestDatabase database) {
        assertThatThrownBy(() -> database.run("SELECT no_such_column"))
                .hasMessageContaining("42703")
                .hasMessageContaining("SELECT no_such_column");
    }

    private static String zone(Connection connection) throws SQLException {
        try (connection;
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SHOW timezone")) {
            result.next();
            return result.getString(1);
        }
    }
}
