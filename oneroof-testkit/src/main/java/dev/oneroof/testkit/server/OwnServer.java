package dev.oneroof.testkit.server;

import dev.oneroof.embeddedpostgres.ServerAddress;

/** A server that one test has for itself, so that it may break it. The test's database is on it. */
public final class OwnServer implements AutoCloseable {
    private final TestServer server;

    private OwnServer(TestServer server) {
        this.server = server;
    }

    public static OwnServer start(PostgresVersion version) {
        return new OwnServer(TestServer.start(version));
    }

    public ServerAddress address() {
        return server.address();
    }

    /** Makes another database on it; the first is the test's own. */
    public TestDatabase newDatabase() {
        return server.newDatabase();
    }

    /** Ends it at once, without a shutdown checkpoint; what was committed must be there after {@link #start()}. */
    public void crash() {
        server.crash();
    }

    /** Starts it again after a crash, on the same port and directory. */
    public void start() {
        server.startAgain();
    }

    public void crashAndStart() {
        crash();
        start();
    }

    /** Keeps a copy of all data as they are now. It is down for the time that takes. */
    public void backUp() {
        crash();
        server.backUp();
        start();
    }

    /** Takes all data back to what they were at the last {@link #backUp()}, as a restore after a loss does. */
    public void restore() {
        crash();
        server.restore();
        start();
    }

    @Override
    public void close() {
        server.close();
    }
}
