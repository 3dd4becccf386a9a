package dev.oneroof.app.cli;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server that refuses TLS and asks for the password in clear text, as one between the client and the real server would.
 * It keeps what it is sent.
 */
final class PasswordTrap implements AutoCloseable {
    static final String TLS_REQUEST = "a request for TLS";
    static final String START = "a start-up message";

    private static final int TLS_WANTED = 80877103;

    private final ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final Thread acceptor = Thread.ofVirtual().start(this::serve);

    PasswordTrap() throws IOException {}

    int port() {
        return listener.getLocalPort();
    }

    /** The messages in their order; a password as it is. */
    List<String> received() {
        return received;
    }

    private void serve() {
        while (!listener.isClosed()) {
            try (Socket client = listener.accept()) {
                client.setSoTimeout(10_000);
                answer(new DataInputStream(client.getInputStream()), new DataOutputStream(client.getOutputStream()));
            } catch (IOException e) {
                // The client has gone, or the trap is closed.
            }
        }
    }

    private void answer(DataInputStream in, DataOutputStream out) throws IOException {
        while (true) {
            byte[] message = in.readNBytes(in.readInt() - 4);
            if (message.length == 4 && new DataInputStream(new ByteArrayInputStream(message)).readInt() == TLS_WANTED) {
                received.add(TLS_REQUEST);
                out.writeByte('N');
            } else {
                received.add(START);
                // AuthenticationCleartextPassword
                out.writeByte('R');
                out.writeInt(8);
                out.writeInt(3);
                in.readByte();
                received.add("password "
                        + new String(in.readNBytes(in.readInt() - 4), StandardCharsets.UTF_8).replace("\0", ""));
                return;
            }
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        listener.close();
        acceptor.join();
    }
}
