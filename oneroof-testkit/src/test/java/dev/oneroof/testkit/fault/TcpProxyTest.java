package dev.oneroof.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.TcpProxy.Direction;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {
    private final EchoServer server = new EchoServer();
    private final TcpProxy proxy = TcpProxy.to("localhost", server.port());

    TcpProxyTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void forwardsBothWays() throws IOException {
        try (Socket client = connect()) {
            assertThat(echo(client, "hello")).isEqualTo("hello");
            assertThat(echo(client, "again")).isEqualTo("again");
            assertThat(proxy.connections()).isEqualTo(1);
        }
        Await.patiently().until("no connection", () -> proxy.connections() == 0 && server.ended() == 1);
    }

    @Test
    void forwardsTheEndOfOneDirectionOnly() throws IOException {
        try (Socket client = connect()) {
            client.getOutputStream().write("last words".getBytes(StandardCharsets.UTF_8));
            client.shutdownOutput();

            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("last words");
        }
    }

    @Test
    void resetsBothSidesWhenCut() throws IOException {
        try (Socket client = connect()) {
            echo(client, "hello");

            proxy.cut();

            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
            Await.patiently().until("the server's side has ended", () -> server.ended() == 1);
        }
        try (Socket next = connect()) {
            assertThat(echo(next, "still open for new ones")).isEqualTo("still open for new ones");
        }
    }

    @Test
    void refusesNewConnectionsAndWelcomesThemAgain() throws IOException {
        try (Socket standing = connect()) {
            echo(standing, "hello");

            proxy.refuse();

            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
            assertThat(echo(standing, "unharmed")).isEqualTo("unharmed");
        }
        proxy.welcome();
        try (Socket client = connect()) {
            assertThat(echo(client, "hello")).isEqualTo("hello");
        }
    }

    @Test
    void holdsBackWithoutTellingAnybody() throws IOException {
        try (Socket client = connect()) {
            echo(client, "12345");
            proxy.hold();

            send(client, "held");

            assertThatNothingComes(client);
            assertThat(server.received()).isEqualTo(5);
            proxy.release();
            assertThat(receive(client, 4)).isEqualTo("held");
        }
    }

    @Test
    void hidesTheClientsEndWhileItHolds() throws IOException {
        try (Socket client = connect()) {
            echo(client, "hello");
            proxy.hold();
        }
        assertThat(Await.upTo(Duration.ofMillis(200)).holds(() -> server.ended() > 0))
                .isFalse();
        proxy.release();
        Await.patiently().until("the server's side has ended", () -> server.ended() == 1);
    }

    @Test
    void holdsOneDirectionAlone() throws IOException {
        try (Socket client = connect()) {
            echo(client, "12345");
            proxy.hold(Direction.TO_CLIENT);

            send(client, "67890");

            Await.patiently().until("the server has it", () -> server.received() == 10);
            assertThatNothingComes(client);
        }
    }

    @Test
    void cutsWhatItHolds() throws IOException {
        try (Socket client = connect()) {
            echo(client, "hello");
            proxy.hold();
            send(client, "lost");

            proxy.cut();

            Await.patiently().until("the server's side has ended", () -> server.ended() == 1);
            assertThat(server.received()).isEqualTo(5);
        }
    }

    @Test
    void delaysEachPiece() throws IOException {
        try (Socket client = connect()) {
            echo(client, "hello");
            proxy.delay(Duration.ofMillis(100));
            long start = System.nanoTime();

            echo(client, "there and back");

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
        }
    }

    @Test
    void resetsTheClientWhenThereIsNoServer() throws IOException {
        // Bound and not listening: nobody answers there, and no other test gets the port meanwhile.
        try (Socket nobody = new Socket()) {
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (TcpProxy nowhere = TcpProxy.to("127.0.0.1", nobody.getLocalPort());
                    Socket client = connect(nowhere)) {
                assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
            }
        }
    }

    private Socket connect() throws IOException {
        return connect(proxy);
    }

    private static Socket connect(TcpProxy proxy) throws IOException {
        Socket socket = new Socket(InetAddress.getByName(proxy.host()), proxy.port());
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static String echo(Socket socket, String text) throws IOException {
        send(socket, text);
        return receive(socket, text.length());
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String receive(Socket socket, int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), StandardCharsets.UTF_8);
    }

    private static void assertThatNothingComes(Socket socket) throws IOException {
        socket.setSoTimeout(200);
        assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(10_000);
    }
}
