package dev.oneroof.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fixture.BirthRegistry;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@OneRoofTest
class PostgresProxyTest {
    private static final String INSERT =
            "INSERT INTO birth_registry (collection_name, entity_code) VALUES ('orders', 'E-1')";

    @OnEveryServer
    void losesWhatWasCutBeforeItsCommit(TestDatabase database, Given given) throws SQLException {
        BirthRegistry registry = given.birthRegistry();
        try (PostgresProxy proxy = PostgresProxy.to(database.address());
                Connection connection = database.dataSourceVia(proxy.address()).getConnection()) {
            Cut cut = proxy.cutBeforeCommit();

            assertConnectionLost(() -> insertAndCommit(connection));

            assertThat(cut.happened()).isTrue();
        }
        awaitNoSession(database);
        assertThat(registry.count()).isEqualTo(0);
    }

    @OnEveryServer
    void keepsWhatWasCutAfterItsCommit(TestDatabase database, Given given) throws SQLException {
        BirthRegistry registry = given.birthRegistry();
        try (PostgresProxy proxy = PostgresProxy.to(database.address());
                Connection connection = database.dataSourceVia(proxy.address()).getConnection()) {
            Cut cut = proxy.cutAfterCommit();

            assertConnectionLost(() -> insertAndCommit(connection));

            assertThat(cut.happened()).isTrue();
            assertThat(registry.count()).isEqualTo(1);
        }
    }

    /** The driver names its COMMIT when it first sends it, and from then on sends the name alone. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void recognisesCommitThatIsSentByNameOnly(boolean before, TestDatabase database, Given given) throws SQLException {
        BirthRegistry registry = given.birthRegistry();
        try (PostgresProxy proxy = PostgresProxy.to(database.address());
                Connection connection = database.dataSourceVia(proxy.address()).getConnection()) {
            for (int i = 0; i < 10; i++) {
                insertAndCommit(connection);
            }
            Cut cut = before ? proxy.cutBeforeCommit() : proxy.cutAfterCommit();

            assertConnectionLost(() -> insertAndCommit(connection));

            assertThat(cut.happened()).isTrue();
        }
        awaitNoSession(database);
        assertThat(registry.count()).isEqualTo(before ? 10 : 11);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void recognisesCommitInTheSimpleProtocol(boolean before, TestDatabase database, Given given) throws SQLException {
        BirthRegistry registry = given.birthRegistry();
        try (PostgresProxy proxy = PostgresProxy.to(database.address());
                Connection connection = simple(database, proxy);
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
            statement.execute(INSERT);
            Cut cut = before ? proxy.cutBeforeCommit() : proxy.cutAfterCommit();

            assertConnectionLost(() -> statement.execute("commit"));

            assertThat(cut.happened()).isTrue();
        }
        awaitNoSession(database);
        assertThat(registry.count()).isEqualTo(before ? 0 : 1);
    }

    @Test
    void cutsOneConnectionOnce(TestDatabase database, Given given) throws SQLException {
        BirthRegistry registry = given.birthRegistry();
        try (PostgresProxy proxy = PostgresProxy.to(database.address());
                Connection cutOne = database.dataSourceVia(proxy.address()).getConnection();
                Connection other = database.dataSourceVia(proxy.address()).getConnection()) {
            proxy.cutBeforeCommit();
            assertConnectionLost(() -> insertAndCommit(cutOne));

            insertAndCommit(other);
        }
        assertThat(registry.count()).isEqualTo(1);
    }

    @Test
    void cutsAfterAnyStatement(TestDatabase database, Given given) throws SQLException {
        BirthRegistry registry = given.birthRegistry();
        try (PostgresProxy proxy = PostgresProxy.to(database.address());
                Connection connection = database.dataSourceVia(proxy.address()).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
            proxy.cutAfter(sql -> sql.startsWith("INSERT"));

            assertConnectionLost(() -> statement.execute(INSERT));
        }
        assertThat(registry.count()).isEqualTo(1);
    }

    @Test
    void isInvisibleOtherwise(TestDatabase database, Given given) throws SQLException {
        given.births(5_000);
        try (PostgresProxy proxy = PostgresProxy.to(database.address());
                Connection connection = database.dataSourceVia(proxy.address()).getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(100);
            int rows = 0;
            try (var result = statement.executeQuery("SELECT repeat('x', 2000) FROM birth_registry")) {
                while (result.next()) {
                    rows++;
                }
            }
            assertThat(rows).isEqualTo(5_000);
            assertThatThrownBy(() -> statement.execute("SELECT no_such_column")).hasMessageContaining("no_such_column");
            connection.rollback();
        }
    }

    private static void insertAndCommit(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(INSERT);
        }
        connection.commit();
    }

    private static Connection simple(TestDatabase database, PostgresProxy proxy) throws SQLException {
        return DriverManager.getConnection(
                proxy.address().jdbcUrl(database.name()) + "?preferQueryMode=simple",
                proxy.address().user(),
                proxy.address().password());
    }

    private static void assertConnectionLost(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
    }

    private static void awaitNoSession(TestDatabase database) {
        Await.patiently()
                .until(
                        "the cut session has ended",
                        () -> Backends.of(database).list().isEmpty());
    }
}
