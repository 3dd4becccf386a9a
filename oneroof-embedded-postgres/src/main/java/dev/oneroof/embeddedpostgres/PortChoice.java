package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which port to listen on: the wanted one, else the last used one, else any free one. */
final class PortChoice {
    /** ServerAccess.HOST in bytes: the JVM's own idea of the loopback address can be the IPv6 one. */
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private final int wanted;
    private final Path lastFile;

    PortChoice(int wanted, Path lastFile) {
        this.wanted = wanted;
        this.lastFile = lastFile;
    }

    boolean isFixed() {
        return wanted != 0;
    }

    int choose() throws IOException {
        if (isFixed()) {
            if (!isFree(wanted)) {
                throw inUse();
            }
            return wanted;
        }
        int last = last();
        return last != 0 && isFree(last) ? last : anyFree();
    }

    OneRoofException inUse() {
        return new OneRoofException(
                ErrorCode.PORT_IN_USE,
                "The port " + wanted + " of " + ServerAccess.HOST
                        + " is in use by another program, or may not be listened on. Choose another one, or 0 for any.");
    }

    void remember(int port) throws IOException {
        if (last() != port) {
            DurableFile.write(lastFile, Integer.toString(port));
        }
    }

    private int last() {
        try {
            int port = Integer.parseInt(Files.readString(lastFile).strip());
            return port > 0 && port <= 65535 ? port : 0;
        } catch (IOException | NumberFormatException e) {
            return 0; // only a preference
        }
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = listen(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private static int anyFree() throws IOException {
        try (ServerSocket socket = listen(0)) {
            return socket.getLocalPort();
        }
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getByAddress(LOOPBACK));
    }
}
