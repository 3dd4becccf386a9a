package dev.oneroof.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OnServer;
import dev.oneroof.testkit.OneRoofTest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

@OneRoofTest
class ServerMatrixTest {
    private static final Set<Integer> SEEN = ConcurrentHashMap.newKeySet();

    @OnEveryServer
    void runsOnEveryServer(TestDatabase database) {
        SEEN.add(majorVersion(database));
    }

    @AfterAll
    static void hasSeenThreeOfThem() {
        assertThat(SEEN).containsExactlyInAnyOrder(14, 17, 18);
    }

    @Test
    @OnServer(PostgresVersion.NEWEST)
    void runsOnTheServerChosen(TestDatabase database) {
        assertThat(majorVersion(database)).isEqualTo(18);
    }

    @Test
    void runsOnTheBundledServerUnlessToldOtherwise(TestDatabase database) {
        assertThat(majorVersion(database)).isEqualTo(17);
    }

    @Test
    @OnServer(PostgresVersion.OLDEST)
    void startsAnOwnServerOfTheVersionChosen(TestDatabase database, OwnServer server) {
        assertThat(majorVersion(database)).isEqualTo(14);
        assertThat(database.address()).isEqualTo(server.address());
    }

    private static int majorVersion(TestDatabase database) {
        return database.value(Integer.class, "SELECT current_setting('server_version_num')::int / 10000");
    }
}
