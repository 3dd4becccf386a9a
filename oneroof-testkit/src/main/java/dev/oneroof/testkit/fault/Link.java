package dev.oneroof.testkit.fault;

import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.TcpProxy.Direction;
import dev.oneroof.testkit.fault.Traffic.Side;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** One connection through a proxy: two sockets, and a virtual thread for each direction. */
final class Link {
    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;
    private final Traffic traffic;
    private final AtomicInteger openDirections = new AtomicInteger(2);
    private volatile boolean reset;

    Link(TcpProxy proxy, Socket client, Socket server, Traffic traffic) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        this.traffic = traffic;
    }

    void start() {
        Thread.ofVirtual()
                .name("proxy-to-server")
                .start(() -> pump(client, server, traffic.fromClient(), Direction.TO_SERVER));
        Thread.ofVirtual()
                .name("proxy-to-client")
                .start(() -> pump(server, client, traffic.fromServer(), Direction.TO_CLIENT));
    }

    /** Ends both sides with a reset; unsent bytes are lost. */
    void reset() {
        reset = true;
        reset(client);
        reset(server);
        for (Direction direction : Direction.values()) {
            proxy.held(direction).wake();
        }
        proxy.ended(this);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // Closed already by its own end; a reset has nothing to add.
        }
    }

    private void pump(Socket from, Socket to, Side side, Direction direction) {
        try {
            InputStream in = new BufferedInputStream(from.getInputStream());
            to.setTcpNoDelay(true);
            OutputStream out = to.getOutputStream();
            boolean open = true;
            while (open) {
                open = passOn(side.read(in), out, side, direction);
            }
            to.shutdownOutput();
            if (openDirections.decrementAndGet() == 0) {
                from.close();
                to.close();
                proxy.ended(this);
            }
        } catch (IOException e) {
            // One side was reset or is gone; the other learns it the same way.
            reset();
        }
    }

    /** Deals with one piece; false at the end of the stream. */
    private boolean passOn(byte[] piece, OutputStream out, Side side, Direction direction) throws IOException {
        if (!proxy.delay().isZero()) {
            Await.pause(proxy.delay());
        }
        proxy.held(direction).pass(() -> reset);
        if (piece.length == 0) {
            return false;
        }
        switch (side.judge(piece)) {
            case FORWARD -> out.write(piece);
            case SWALLOW -> {}
            case CUT -> reset();
        }
        return true;
    }
}
