package dev.oneroof.testkit.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends back what it gets, for the tests of {@link TcpProxy}. */
final class EchoServer implements AutoCloseable {
    private final ServerSocket listener;
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    EchoServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Bytes that have come in. */
    int received() {
        return received.get();
    }

    /** Connections that are over, in whichever way. */
    int ended() {
        return ended.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                Thread.ofVirtual().start(() -> echo(socket));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void echo(Socket socket) {
        try (socket) {
            byte[] buffer = new byte[4096];
            int count = socket.getInputStream().read(buffer);
            while (count >= 0) {
                received.addAndGet(count);
                socket.getOutputStream().write(buffer, 0, count);
                count = socket.getInputStream().read(buffer);
            }
        } catch (IOException e) {
            // Reset.
        } finally {
            ended.incrementAndGet();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
