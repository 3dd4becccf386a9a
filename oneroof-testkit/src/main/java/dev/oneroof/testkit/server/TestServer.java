package dev.oneroof.testkit.server;

import dev.oneroof.embeddedpostgres.EmbeddedPostgres;
import dev.oneroof.embeddedpostgres.ServerAddress;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.sql.SQLException;
import java.time.ZoneId;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A running server with a template, from which each test gets a database of its own. Databases and not schemas:
 * transactions in one database would hold back what a test in another waits to see settled.
 */
public final class TestServer implements AutoCloseable {
    /** How the testkit's own sessions call themselves. */
    static final String APPLICATION = "oneroof-testkit";

    private final ServerDirectory directory;
    private final EmbeddedPostgres postgres;
    private final ZoneId zone;
    private final Deque<Sql> idleControls = new ConcurrentLinkedDeque<>();
    private final AtomicInteger databases = new AtomicInteger();
    private final String copyOptions;
    private final Thread stopAtExit = new Thread(this::stop, "oneroof-testkit-stop");
    private volatile boolean running = true;

    private TestServer(ServerDirectory directory, EmbeddedPostgres postgres, ZoneId zone) {
        this.directory = directory;
        this.postgres = postgres;
        this.zone = zone;
        this.copyOptions = control(sql -> {
            TemplateDatabase.prepare(this, sql);
            return copyOptions(sql);
        });
        // Normally close() stops the server; this is for a test run that ends in a hurry.
        Runtime.getRuntime().addShutdownHook(stopAtExit);
    }

    /** Starts a new, empty server in a directory of its own. */
    public static TestServer start(PostgresVersion version) {
        ZoneId zone = SessionZone.unlike(ZoneId.systemDefault());
        ServerDirectory directory = ServerDirectory.create();
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.open(directory.config(version, zone));
            try {
                return new TestServer(directory, postgres, zone);
            } catch (RuntimeException e) {
                postgres.close();
                throw e;
            }
        } catch (RuntimeException e) {
            directory.delete();
            throw e;
        }
    }

    public ServerAddress address() {
        return postgres.address();
    }

    /** Makes a database for one test. */
    public TestDatabase newDatabase() {
        String name = "test_" + databases.incrementAndGet();
        command("CREATE DATABASE " + name + " TEMPLATE " + TemplateDatabase.NAME + copyOptions);
        return new TestDatabase(this, name);
    }

    /** Stops the server as a power cut would: no shutdown checkpoint, recovery at the next start. */
    void crash() {
        forgetControls();
        running = false;
        postgres.crash();
    }

    /** Starts a crashed server again on the same port. */
    void startAgain() {
        postgres.start();
        running = true;
    }

    /** Keeps what a crashed server's data are now, for {@link #restore()}. */
    void backUp() {
        directory.backUp();
    }

    /** Takes a crashed server's data back to the last backup. */
    void restore() {
        directory.restore();
    }

    boolean running() {
        return running;
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(stopAtExit);
        } catch (IllegalStateException e) {
            // The JVM is on its way down and the hook does the same; whoever comes second has nothing to do.
            return;
        }
        stop();
    }

    private void stop() {
        running = false;
        forgetControls();
        postgres.close();
        directory.delete();
    }

    void command(String statement) {
        control(sql -> {
            sql.run(statement);
            return sql;
        });
    }

    /** Works on a connection to the server that no test is charged for. A few are kept: logging in costs more than they do. */
    <T> T control(Function<Sql, T> work) {
        Sql borrowed = idleControls.pollFirst();
        Sql sql = borrowed != null ? borrowed : untracked("postgres");
        boolean sound = false;
        try {
            T result = work.apply(sql);
            sound = true;
            return result;
        } finally {
            if (sound) {
                idleControls.addFirst(sql);
            } else {
                sql.close();
            }
        }
    }

    /** A connection that is the testkit's own and is not looked for after the test. */
    Sql untracked(String database) {
        try {
            return new Sql(new Login(address(), database, APPLICATION).connect());
        } catch (SQLException e) {
            throw new OneRoofException(
                    ErrorCode.DATABASE_UNREACHABLE, "The test server does not answer: " + e.getMessage(), e);
        }
    }

    ZoneId zone() {
        return zone;
    }

    private void forgetControls() {
        for (Sql sql = idleControls.pollFirst(); sql != null; sql = idleControls.pollFirst()) {
            sql.close();
        }
    }

    /** Copying through the log spares two checkpoints per copy, which a small template does not repay; 14 has no choice. */
    private static String copyOptions(Sql sql) {
        int version = sql.value(Integer.class, "SELECT current_setting('server_version_num')::int");
        return version >= 150_000 ? " STRATEGY wal_log" : "";
    }
}
