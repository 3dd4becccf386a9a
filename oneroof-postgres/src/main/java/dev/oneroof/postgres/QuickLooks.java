package dev.oneroof.postgres;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Makes sockets on which a look takes no time where nothing has come.
 *
 * <p>The driver ends every wait for notifications with a look whether there are more, and gives it a millisecond, its
 * shortest time-out. That is half of the time from a commit to who waits for it. Here such a look is answered by what has
 * arrived. Named to the driver as its {@code socketFactory}, which makes one by itself.
 */
public final class QuickLooks extends SocketFactory {
    private static final int LOOK_MILLIS = 1;

    @Override
    public Socket createSocket() {
        return new QuickSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(InetAddress.getByName(host), port, localHost, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        Socket socket = new QuickSocket();
        socket.bind(new InetSocketAddress(localHost, localPort));
        socket.connect(new InetSocketAddress(host, port));
        return socket;
    }

    private static Socket connected(InetSocketAddress address) throws IOException {
        Socket socket = new QuickSocket();
        socket.connect(address);
        return socket;
    }

    private static final class QuickSocket extends Socket {
        private volatile boolean looks;

        @Override
        public void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(millis);
            looks = millis == LOOK_MILLIS;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    demandAny();
                    return in.read();
                }

                @Override
                public int read(byte[] to, int from, int length) throws IOException {
                    if (length > 0) {
                        demandAny();
                    }
                    return in.read(to, from, length);
                }

                private void demandAny() throws IOException {
                    if (looks && in.available() == 0) {
                        throw new SocketTimeoutException("nothing has come yet");
                    }
                    // What has begun is read to its end as ever: a record of TLS may come in pieces.
                    looks = false;
                }
            };
        }
    }
}
