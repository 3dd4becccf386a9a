package dev.oneroof.testkit.fault;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.await.Await;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A network between a client and a server that can be made to fail. It listens on the loopback address and forwards
 * each connection; what happens to them can be changed at any time.
 */
public sealed class TcpProxy implements AutoCloseable permits PostgresProxy {
    private final String targetHost;
    private final int targetPort;
    private final int port;
    private final Map<Direction, Hold> holds = new EnumMap<>(Direction.class);
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private volatile Duration delay = Duration.ZERO;
    private ServerSocket listener;
    private Thread acceptor;
    private @Nullable Socket placeholder;

    TcpProxy(String targetHost, int targetPort) {
        this.targetHost = targetHost;
        this.targetPort = targetPort;
        for (Direction direction : Direction.values()) {
            holds.put(direction, new Hold());
        }
        this.listener = listen(0);
        this.port = listener.getLocalPort();
        this.acceptor = accept(listener);
    }

    public static TcpProxy to(String host, int port) {
        return new TcpProxy(host, port);
    }

    public String host() {
        return InetAddress.getLoopbackAddress().getHostAddress();
    }

    public int port() {
        return port;
    }

    /** How many connections pass through it now. */
    public int connections() {
        return links.size();
    }

    /** Resets all connections, on both sides. New ones are still taken. */
    public void cut() {
        links.forEach(Link::reset);
    }

    /** Takes no more connections: who tries is refused. Those that stand go on. */
    public synchronized void refuse() {
        if (placeholder == null) {
            close(listener);
            // The port is given back only when the thread that was accepting has let go of it.
            Await.patiently().until("the proxy stops listening", () -> !acceptor.isAlive());
            placeholder = occupy(port);
        }
    }

    /** Takes connections again, on the same port. */
    public synchronized void welcome() {
        if (placeholder != null) {
            close(placeholder);
            placeholder = null;
            listener = listen(port);
            acceptor = accept(listener);
        }
    }

    /** Stops forwarding in both directions: neither side learns of it, not even of the other's end. */
    public void hold() {
        holds.values().forEach(hold -> hold.set(true));
    }

    public void hold(Direction direction) {
        held(direction).set(true);
    }

    /** Forwards again, first what has piled up. */
    public void release() {
        holds.values().forEach(hold -> hold.set(false));
    }

    /** Lets each piece wait before it is forwarded, in both directions. */
    public void delay(Duration each) {
        this.delay = each;
    }

    @Override
    public synchronized void close() {
        closed = true;
        close(placeholder != null ? placeholder : listener);
        cut();
    }

    /** How this proxy reads a new connection. */
    Traffic newTraffic() {
        return Traffic.unread();
    }

    Duration delay() {
        return delay;
    }

    Hold held(Direction direction) {
        Hold hold = holds.get(direction);
        if (hold == null) {
            throw new IllegalStateException("No hold for " + direction);
        }
        return hold;
    }

    void ended(Link link) {
        links.remove(link);
    }

    private static ServerSocket listen(int port) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return socket;
        } catch (IOException e) {
            throw new OneRoofException(
                    ErrorCode.PORT_IN_USE, "The proxy cannot listen on port " + port + ": " + e.getMessage(), e);
        }
    }

    /** Bound and not listening: who connects is refused, and nobody else on this machine is given the port. */
    private static Socket occupy(int port) {
        Socket socket = new Socket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return socket;
        } catch (IOException e) {
            close(socket);
            throw new OneRoofException(
                    ErrorCode.PORT_IN_USE, "The proxy cannot keep its port " + port + ": " + e.getMessage(), e);
        }
    }

    private Thread accept(ServerSocket socket) {
        return Thread.ofVirtual().name("proxy-accept").start(() -> {
            while (!socket.isClosed()) {
                acceptOne(socket);
            }
        });
    }

    private void acceptOne(ServerSocket socket) {
        try {
            forward(socket.accept());
        } catch (IOException e) {
            // Either the listener was closed and this was the last, or one client found no server behind the proxy.
        }
    }

    private void forward(Socket client) throws IOException {
        Socket server;
        try {
            server = connect();
        } catch (IOException e) {
            client.setSoLinger(true, 0);
            client.close();
            throw e;
        }
        Link link = new Link(this, client, server, newTraffic());
        links.add(link);
        link.start();
        if (closed) {
            link.reset();
        }
    }

    /** By the first of the target's addresses that answers. */
    private Socket connect() throws IOException {
        IOException failure = new IOException("The target has no address: " + targetHost);
        for (InetAddress address : InetAddress.getAllByName(targetHost)) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, targetPort));
                return socket;
            } catch (IOException e) {
                socket.close();
                failure = e;
            }
        }
        throw failure;
    }

    private static void close(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new OneRoofException(ErrorCode.FAILED, "The proxy cannot stop listening: " + e.getMessage(), e);
        }
    }

    /** Which way bytes go. */
    public enum Direction {
        TO_SERVER,
        TO_CLIENT
    }
}
