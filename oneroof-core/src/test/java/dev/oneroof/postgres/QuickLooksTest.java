package dev.oneroof.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@OneRoofTest
class QuickLooksTest {
    private static final byte[] WORD = {1, 2, 3};

    @Test
    void answersALookByWhatHasCome() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new QuickLooks().createSocket(server.getInetAddress(), server.getLocalPort());
                Socket peer = server.accept()) {
            InputStream in = socket.getInputStream();
            socket.setSoTimeout(1);
            assertThatThrownBy(() -> in.read(new byte[8]))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("nothing has come yet");
            assertThatThrownBy(in::read)
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("nothing has come yet");

            peer.getOutputStream().write(WORD);
            socket.setSoTimeout(0);
            assertThat(in.read()).isEqualTo(1);
            socket.setSoTimeout(1);
            assertThat(in.readNBytes(2)).containsExactly(2, 3);
            assertThatThrownBy(in::read)
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageNotContaining("nothing has come yet");
        }
    }

    @Test
    void waitsForWhatIsStillToComeWithAnyOtherTime() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new QuickLooks().createSocket(server.getInetAddress(), server.getLocalPort());
                Socket peer = server.accept()) {
            InputStream in = socket.getInputStream();
            socket.setSoTimeout(2);
            assertThatThrownBy(in::read)
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageNotContaining("nothing has come yet");

            socket.setSoTimeout(0);
            peer.shutdownOutput();
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void isWhatThePoolListensThrough(TestDatabase database) {
        try (HikariDataSource pool = Connections.pool(address(database, Map.of()), "listening", null, 2)) {
            Database db = new Database(pool, SchemaName.DEFAULT);
            try (Notifications notifications = db.notifications()) {
                notifications.listen("news");
                assertThat(notifications.await(Duration.ofMillis(1))).isEmpty();
                database.run("SELECT pg_notify('news', 'one'), pg_notify('news', 'two')");

                assertThat(notifications.await(Duration.ofSeconds(30)))
                        .isEqualTo(List.of(
                                new Notifications.Heard("news", "one"), new Notifications.Heard("news", "two")));
                assertThat(socketFactory(pool)).isEqualTo(QuickLooks.class.getName());
            }
        }
    }

    @Test
    void leavesThePlaceToAFactoryThatTheUserNamed(TestDatabase database) {
        DatabaseAddress address = address(database, Map.of("socketFactory", OtherFactory.class.getName()));
        try (HikariDataSource pool = Connections.pool(address, "listening", null, 2)) {
            assertThat(socketFactory(pool)).isEqualTo(OtherFactory.class.getName());
        }
        assertThat(OtherFactory.MADE).hasPositiveValue();
    }

    /** Somebody's own. */
    public static final class OtherFactory extends SocketFactory {
        private static final AtomicInteger MADE = new AtomicInteger();

        @Override
        public Socket createSocket() {
            MADE.incrementAndGet();
            return new Socket();
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
            throw new UnsupportedOperationException();
        }
    }

    private static DatabaseAddress address(TestDatabase database, Map<String, String> parameters) {
        ServerAddress server = database.address();
        return new DatabaseAddress(
                server.host(), server.port(), database.name(), server.user(), server.password(), parameters);
    }

    private static String socketFactory(HikariDataSource pool) {
        return ((PGSimpleDataSource) pool.getDataSource()).getSocketFactory();
    }
}
