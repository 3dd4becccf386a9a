package dev.oneroof.testkit.fault;

import dev.oneroof.embeddedpostgres.ServerAddress;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A proxy that reads PostgreSQL's protocol and can end a connection at a statement: before the server has got it, or
 * after the server has carried it out and before the client has heard of it. The second is the hard case of a
 * connection that drops during COMMIT: the client cannot know, and the row is there.
 *
 * <p>Statements are recognised in both protocols, and also when a prepared one is run again by its name alone, as the
 * driver does with COMMIT from the second time on. Encrypted connections cannot be read and are reset.
 */
public final class PostgresProxy extends TcpProxy {
    private final ServerAddress address;
    private final AtomicReference<@Nullable Cut> armed = new AtomicReference<>();
    private volatile boolean swallowsNotifications;

    private PostgresProxy(ServerAddress server) {
        super(server.host(), server.port());
        this.address = new ServerAddress(host(), port(), server.user(), server.password());
    }

    public static PostgresProxy to(ServerAddress server) {
        return new PostgresProxy(server);
    }

    /** Where clients connect. */
    public ServerAddress address() {
        return address;
    }

    /** The next statement that matches does not reach the server: its connection is reset instead. */
    public Cut cutBefore(Predicate<String> statement) {
        return arm(new Cut(statement, false));
    }

    /** The next statement that matches is carried out; when the server's answer comes, the connection is reset. */
    public Cut cutAfter(Predicate<String> statement) {
        return arm(new Cut(statement, true));
    }

    public Cut cutBeforeCommit() {
        return cutBefore(PostgresProxy::commits);
    }

    public Cut cutAfterCommit() {
        return cutAfter(PostgresProxy::commits);
    }

    /** Keeps notifications from clients, as a proxy that pools transactions does; everything else goes through. */
    public void swallowNotifications(boolean swallow) {
        swallowsNotifications = swallow;
    }

    boolean swallowsNotifications() {
        return swallowsNotifications;
    }

    private static boolean commits(String statement) {
        return statement.toUpperCase(Locale.ROOT).contains("COMMIT");
    }

    private Cut arm(Cut cut) {
        armed.set(cut);
        return cut;
    }

    /** The cut that this statement sets off; it is set off once, by one connection. */
    @Nullable
    Cut cutFor(String statement) {
        Cut cut = armed.get();
        return cut != null && cut.matches(statement) && armed.compareAndSet(cut, null) ? cut : null;
    }

    @Override
    Traffic newTraffic() {
        return new PostgresTraffic(this);
    }
}
