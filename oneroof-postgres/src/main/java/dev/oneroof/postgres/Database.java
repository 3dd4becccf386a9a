package dev.oneroof.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.ColonPrefixSqlParser;
import org.jdbi.v3.core.statement.SqlParser;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.StatementException;
import org.jdbi.v3.core.statement.StatementExceptions;
import org.jdbi.v3.postgres.PostgresPlugin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where transactions come from. What is atomic can be read off the lambda given to {@link #inTx}. */
public final class Database {
    private static final Logger log = LoggerFactory.getLogger(Database.class);
    /** One for all: what it has parsed it knows from then on, and its first look at a long statement takes milliseconds. */
    private static final SqlParser PARSER = new ColonPrefixSqlParser();

    private static final int LONGEST = 100;

    /** Somebody else's, for the moment in which a transaction of theirs is joined. */
    private static final ThreadLocal<@Nullable Connection> THEIRS = new ThreadLocal<>();

    private final Jdbi jdbi;
    private final SchemaName schema;

    public Database(DataSource dataSource, SchemaName schema) {
        this.schema = schema;
        this.jdbi = Jdbi.create(() -> {
                    Connection joined = THEIRS.get();
                    return joined == null ? dataSource.getConnection() : joined;
                })
                .installPlugin(new PostgresPlugin());
        jdbi.setStatementBuilderFactory(connection -> new ScrollableStatements());
        jdbi.getConfig(SqlStatements.class)
                .setSqlParser(PARSER)
                // Texts come as the server is to have them: Tx has turned the names of OneRoof's own.
                .setTemplateEngine((sql, context) -> sql);
        jdbi.getConfig(StatementExceptions.class).setMessageRendering(Database::told);
    }

    /** Which statement failed, without what was bound to it: messages are logged and kept, and values may be of rows. */
    private static String told(StatementException failure) {
        StatementContext context = failure.getStatementContext();
        String sql = context == null ? null : context.getRawSql();
        if (sql == null) {
            return String.valueOf(failure.getShortMessage());
        }
        String line = sql.strip().replaceAll("\\s+", " ");
        return "%s [in: %s]"
                .formatted(
                        failure.getShortMessage(), line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…");
    }

    /** Runs the work in one transaction: committed when it returns, rolled back when it throws or abandons. */
    public <R> R inTx(Function<Tx, R> work) {
        // Not withHandle: inside another transaction of this thread it would quietly join that one.
        try (Handle handle = jdbi.open()) {
            return inTx(handle, work);
        }
    }

    private <R> R inTx(Handle handle, Function<Tx, R> work) {
        handle.begin();
        Tx tx = new Tx(handle, schema);
        R result;
        try {
            result = work.apply(tx);
        } catch (RuntimeException | Error failure) {
            rollback(handle, failure);
            tx.rolledBack();
            throw failure;
        }
        boolean isCommitted = false;
        try {
            if (tx.isAbandoned()) {
                handle.rollback();
            } else {
                handle.commit();
                isCommitted = true;
            }
        } finally {
            if (!isCommitted) {
                tx.rolledBack();
            }
        }
        if (isCommitted) {
            tx.committed();
        }
        return result;
    }

    /** The schema that OneRoof lives in. */
    public SchemaName schema() {
        return schema;
    }

    public void useTx(Consumer<Tx> work) {
        this.<Boolean>inTx(tx -> {
            work.accept(tx);
            return true;
        });
    }

    /**
     * Runs a single statement, which is a transaction by itself: committed with its answer, and without a way to the server
     * and back of its own. A process that stands still cannot hold it open.
     */
    public <R> R inStatement(Function<Tx, R> work) {
        try (Handle handle = jdbi.open()) {
            if (!handle.isInTransaction()) {
                return inStatement(handle, work);
            }
            // From a pool whose connections do not commit by themselves: this one does, for the moment, or is told to.
            if (!commitsByItself(handle, true)) {
                return inTx(handle, work);
            }
            try {
                return inStatement(handle, work);
            } finally {
                commitsByItself(handle, false);
            }
        }
    }

    private <R> R inStatement(Handle handle, Function<Tx, R> work) {
        Tx tx = new Tx(handle, schema);
        R result = work.apply(tx);
        tx.committed();
        return result;
    }

    private static boolean commitsByItself(Handle handle, boolean does) {
        try {
            handle.getConnection().setAutoCommit(does);
            return true;
        } catch (SQLException e) {
            // It is broken, and the statement says so, or has said so; or it is somebody's who keeps that to
            // themselves.
            log.debug("a connection that does not change its mode", e);
            return false;
        }
    }

    /**
     * Runs the work in the transaction that somebody else has begun on this connection, and will end. What is to be done on
     * commit is not done: nobody here knows of it.
     */
    // Not closed: that would close the connection, which is not ours.
    @SuppressWarnings("MustBeClosedChecker")
    public <R> R within(Connection connection, Function<Tx, R> work) {
        Handle handle;
        THEIRS.set(connection);
        try {
            handle = jdbi.open();
        } finally {
            THEIRS.remove();
        }
        return work.apply(new Tx(handle, schema));
    }

    /** Takes a connection for as long as the answer is open. */
    public Notifications notifications() {
        return new Notifications(jdbi.open(), schema);
    }

    /** The first failure is the one to tell; a connection that is gone cannot roll back either. */
    private static void rollback(Handle handle, Throwable failure) {
        try {
            handle.rollback();
        } catch (RuntimeException second) {
            failure.addSuppressed(second);
        }
    }
}
