package dev.oneroof.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.QuickLooks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A schema that a bench makes and drops, and two ways to work in it: as the login, which owns the tables, and as the
 * runtime, which may only do what its role may. What the bench registers with OneRoof is taken out again.
 */
public final class Workshop implements AutoCloseable {
    public static final String WORKER = "bench";

    private static final String NOT_ALLOWED = "42501";

    private static final String GRANTED = """
            GRANT USAGE ON SCHEMA %1$s TO %2$s;
            ALTER DEFAULT PRIVILEGES IN SCHEMA %1$s GRANT SELECT, INSERT ON TABLES TO %2$s
            """;

    private final BenchSite site;
    private final String schema;
    private final Database owner;
    private final HikariDataSource pool;
    private final HikariDataSource owners;
    private final List<String> registered = new ArrayList<>();

    private Workshop(BenchSite site, String schema, @Nullable String role) {
        this.site = site;
        this.schema = Identifiers.quote("schema", schema);
        this.owner = new Database(
                Connections.plain(site.address(), "oneroof bench"),
                site.schema().schema());
        this.pool = Connections.pool(site.address(), "oneroof bench", role, 6);
        this.owners = Connections.pool(site.address(), "oneroof bench", null, 1);
    }

    /** With the schema empty, whatever an earlier run has left. */
    public static Workshop open(BenchSite site, String schema) {
        return open(site, schema, site.schema().roles().server());
    }

    /**
     * With a runtime that acts as somebody else.
     *
     * @param role whom it acts as; null for the login itself
     */
    public static Workshop open(BenchSite site, String schema, @Nullable String role) {
        Workshop workshop = new Workshop(site, schema, role);
        try {
            workshop.run("DROP SCHEMA IF EXISTS %1$s CASCADE; CREATE SCHEMA %1$s".formatted(workshop.schema));
            workshop.run(GRANTED.formatted(
                    workshop.schema,
                    Identifiers.quote("role", site.schema().roles().server())));
            return workshop;
        } catch (RuntimeException e) {
            workshop.pool.close();
            workshop.owners.close();
            throw e;
        }
    }

    public Database owner() {
        return owner;
    }

    /** As the login, by a connection that is kept. */
    public Database kept() {
        return new Database(owners, site.schema().schema());
    }

    /** As the runtime, by connections that are kept. */
    public Database pooled() {
        return new Database(pool, site.schema().schema());
    }

    /** As the login, each statement in a transaction of its own. */
    public void run(String... statements) {
        for (String statement : statements) {
            owner.useTx(tx -> tx.update(statement).execute());
        }
    }

    /** With statistics and hints as in a table that has been there for a while. */
    public void vacuum(String table) throws SQLException {
        try (Connection connection =
                        Connections.plain(site.address(), "oneroof bench").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("VACUUM (ANALYZE) "
                    + table.replace("oneroof.", site.schema().schema().quoted() + "."));
        }
    }

    /** A bare connection, for a reference. */
    public Connection connect() throws SQLException {
        return Connections.plain(site.address(), "oneroof bench").getConnection();
    }

    /** As {@link #connect}; the driver's last look for notifications takes no time, as with the connections of the runtime. */
    public Connection connectQuickly() throws SQLException {
        PGSimpleDataSource source = Connections.plain(site.address(), "oneroof bench");
        if (source.getSocketFactory() == null) {
            source.setSocketFactory(QuickLooks.class.getName());
        }
        return source.getConnection();
    }

    /**
     * Has what was written so far written out, where the login may ask for it: else that goes on during whatever is measured
     * next.
     */
    public void settle() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CHECKPOINT");
        } catch (SQLException e) {
            if (!NOT_ALLOWED.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    /** A runtime of its own each time; the caller closes it. */
    public OneRoof runtime() {
        return OneRoof.open(
                RuntimeConfig.named("bench-" + UUID.randomUUID())
                        .withSchema(site.schema().schema()),
                pool);
    }

    /** A name that is this run's alone. */
    public String sourceName(String what) {
        return "%s-%s".formatted(what, UUID.randomUUID().toString().substring(0, 8));
    }

    /** Registers a source, to be forgotten when the workshop is closed. */
    public List<String> register(OneRoof oneroof, TailSource source) {
        registered.add(source.name());
        return oneroof.register(source);
    }

    /** As if the worker had never run on the source. */
    public void forgetCursor(String source) {
        owner.useTx(tx -> {
            tx.update("DELETE FROM oneroof.gov_worker_cursor WHERE source_name = :source")
                    .bind("source", source)
                    .execute();
            tx.update("DELETE FROM oneroof.queue_heartbeat WHERE executor_name = :executor")
                    .bind("executor", "%s/%s/0".formatted(WORKER, source))
                    .execute();
        });
    }

    @Override
    public void close() {
        pool.close();
        owners.close();
        for (String source : registered) {
            forgetCursor(source);
            owner.useTx(tx -> tx.update("DELETE FROM oneroof.tail_source WHERE source_name = :source")
                    .bind("source", source)
                    .execute());
        }
        run("DROP SCHEMA IF EXISTS %s CASCADE".formatted(schema));
    }
}
