package dev.oneroof.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.server.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

@OneRoofTest
class BackendsTest {
    @OnEveryServer
    void endsSessionsByName(TestDatabase database, Backends backends) throws SQLException {
        try (Connection doomed = database.dataSource("doomed").getConnection();
                Connection spared = database.connect()) {
            assertThat(backends.list()).hasSize(2);

            assertThat(backends.end("doomed")).isEqualTo(1);

            assertThat(backends.list()).extracting(Backend::application).containsExactly(database.name());
            assertThat(doomed.isValid(5)).isFalse();
            assertThat(spared.isValid(5)).isTrue();
        }
    }

    @Test
    void endsAllSessionsOfItsDatabaseOnly(TestDatabase database, Backends backends) throws SQLException {
        try (Connection one = database.connect();
                Connection two = database.connect()) {
            assertThat(backends.endAll()).isEqualTo(2);

            assertThat(backends.list()).isEmpty();
            assertThat(one.isValid(5) || two.isValid(5)).isFalse();
        }
    }

    @Test
    void cancelsWhatWaitsForALock(TestDatabase database, Backends backends, Given given) throws Exception {
        given.births(1);
        try (Connection holder = database.connect();
                Connection waiter = database.dataSource("waiter").getConnection();
                Statement lock = holder.createStatement();
                Statement wait = waiter.createStatement();
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            holder.setAutoCommit(false);
            lock.execute("LOCK TABLE birth_registry");
            Future<?> waiting = executor.submit(() -> wait.execute("DELETE FROM birth_registry"));
            assertThat(backends.awaitLockWait("waiter").query()).startsWith("DELETE");

            assertThat(backends.cancel("waiter")).isEqualTo(1);

            assertThatThrownBy(waiting::get).rootCause().hasMessageContaining("user request");
            assertThat(waiter.isValid(5)).isTrue();
            holder.rollback();
        }
    }
}
