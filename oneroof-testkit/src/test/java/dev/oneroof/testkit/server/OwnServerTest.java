package dev.oneroof.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.fixture.Given;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class OwnServerTest {
    @Test
    @OneRoofTest
    void keepsWhatWasCommittedOverACrash(TestDatabase database, Given given, OwnServer server) throws SQLException {
        given.births(10);
        ServerAddress before = server.address();
        try (Connection open = database.connect();
                Statement statement = open.createStatement()) {
            open.setAutoCommit(false);
            statement.execute("DELETE FROM birth_registry");

            server.crashAndStart();

            assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
        }
        assertThat(server.address()).isEqualTo(before);
        assertThat(given.birthRegistry().count()).isEqualTo(10);
    }

    @Test
    @OneRoofTest
    void mayBeLeftDown(TestDatabase database, OwnServer server) {
        server.crash();

        assertThatThrownBy(database::connect).isInstanceOf(OneRoofException.class);
    }

    @Nested
    @OneRoofTest(ownServer = true)
    class AskedForOnTheClass {
        @BeforeEach
        void restart(OwnServer server) {
            server.crashAndStart();
        }

        @Test
        void isThereForEveryTest(TestDatabase database) {
            database.run("SELECT 1");
        }
    }
}
