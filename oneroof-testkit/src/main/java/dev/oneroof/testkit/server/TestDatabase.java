package dev.oneroof.testkit.server;

import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database that belongs to one test and is dropped after it.
 *
 * <p>Its connections are tracked, and live in a time zone unlike the JVM's. A test may put a pool on top of
 * {@link #dataSource()} and must then close it. Connections that are opened by {@link #jdbcUrl()} are found after the
 * test just as well, but carry the zone that their driver sends: pgjdbc the JVM's, psql none and so the odd one.
 * {@code DISCARD ALL} and {@code RESET timezone} also go back to what the driver has sent.
 */
public final class TestDatabase implements AutoCloseable {
    private final TestServer server;
    private final String name;
    private final SessionPool pool;
    private final List<OpenConnection> opened = new CopyOnWriteArrayList<>();

    TestDatabase(TestServer server, String name) {
        this.server = server;
        this.name = name;
        this.pool = new SessionPool(new Login(server.address(), name, name));
    }

    public String name() {
        return name;
    }

    public ServerAddress address() {
        return server.address();
    }

    public String jdbcUrl() {
        return address().jdbcUrl(name);
    }

    /** The session time zone of the connections handed out. */
    public ZoneId zone() {
        return server.zone();
    }

    /**
     * Connections named in the server's list of sessions like the database. What they leave idle is used again, made like
     * new, and ended by {@link #endIdleSessions}.
     */
    public DataSource dataSource() {
        return new TrackedDataSource(new Login(address(), name, name), pool, zone(), opened);
    }

    /** Unpooled connections under an application name of their own. */
    public DataSource dataSource(String application) {
        return new TrackedDataSource(new Login(address(), name, application), null, zone(), opened);
    }

    /** Unpooled connections by another way, such as a proxy. */
    public DataSource dataSourceVia(ServerAddress way) {
        return new TrackedDataSource(new Login(way, name, name), null, zone(), opened);
    }

    /** Opens a connection, which the test closes. */
    public Connection connect() {
        try {
            return dataSource().getConnection();
        } catch (SQLException e) {
            throw new OneRoofException(
                    ErrorCode.DATABASE_UNREACHABLE, "Cannot connect to " + name + ": " + e.getMessage(), e);
        }
    }

    /** Opens a connection for plain SQL, which the test closes. */
    public Sql sql() {
        return new Sql(connect());
    }

    /** Runs one statement on a connection of its own. */
    public void run(String statement, @Nullable Object... parameters) {
        try (Sql sql = sql()) {
            sql.run(statement, parameters);
        }
    }

    /** The only column of the only row of a query, on a connection of its own. */
    public <T> T value(Class<T> type, String query, @Nullable Object... parameters) {
        try (Sql sql = sql()) {
            return sql.value(type, query, parameters);
        }
    }

    /** The only row of a query, on a connection of its own. */
    public <T> T one(Sql.Row<T> row, String query, @Nullable Object... parameters) {
        try (Sql sql = sql()) {
            return sql.one(row, query, parameters);
        }
    }

    /** The rows of a query, on a connection of its own. */
    public <T> List<T> list(Sql.Row<T> row, String query, @Nullable Object... parameters) {
        try (Sql sql = sql()) {
            return sql.list(row, query, parameters);
        }
    }

    /** Works outside the test's database, on a connection that is not the test's. */
    public <T> T onServer(Function<Sql, T> work) {
        return server.control(work);
    }

    /** Looks into the test's database on a connection that is not the test's. */
    public <T> T inspect(Function<Sql, T> work) {
        try (Sql sql = server.untracked(name)) {
            return work.apply(sql);
        }
    }

    /** The connections handed out and not closed. */
    public List<OpenConnection> openConnections() {
        return opened.stream().filter(OpenConnection::open).toList();
    }

    /** Before somebody counts the sessions that are left. */
    public void endIdleSessions() {
        pool.endIdle();
    }

    /** Whether the server is up, which a test that crashes it may leave it not. */
    public boolean reachable() {
        return server.running();
    }

    @Override
    public void close() {
        opened.forEach(OpenConnection::abort);
        endIdleSessions();
        if (server.running()) {
            forgetPreparedTransactions();
            server.command("DROP DATABASE " + name + " WITH (FORCE)");
        }
    }

    /** A prepared transaction survives its session, and would keep the database from being dropped. */
    private void forgetPreparedTransactions() {
        List<String> left = server.control(
                sql -> sql.list(row -> row.getString(1), "SELECT gid FROM pg_prepared_xacts WHERE database = ?", name));
        if (!left.isEmpty()) {
            inspect(sql -> {
                left.forEach(gid -> sql.run("ROLLBACK PREPARED '" + gid.replace("'", "''") + "'"));
                return left;
            });
        }
    }
}
