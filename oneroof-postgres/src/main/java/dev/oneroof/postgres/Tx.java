package dev.oneroof.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.jdbi.v3.core.statement.Update;

/**
 * An open transaction. It is passed as the first parameter to whatever takes part in it; nobody but
 * {@link Database#inTx} begins or ends one.
 *
 * <p>Its statements are OneRoof's own: the names {@code oneroof.something} in them are turned to the schema that OneRoof
 * lives in. A statement that holds the text of a user goes through {@link #asWritten}.
 */
public final class Tx {
    private final Handle handle;
    private final SchemaName schema;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> afterRollback = new ArrayList<>();
    private boolean abandoned;

    Tx(Handle handle, SchemaName schema) {
        this.handle = handle;
        this.schema = schema;
    }

    /** What is done with a bare statement. */
    @FunctionalInterface
    public interface Plain<R> {
        R with(PreparedStatement statement) throws SQLException;
    }

    /** The same transaction for statements of users, and for those that hold a text of theirs: nothing is turned. */
    public UserTx asWritten() {
        return new UserTx(this);
    }

    /** The schema that OneRoof lives in. */
    public SchemaName schema() {
        return schema;
    }

    /** A statement that returns rows, with {@code :named} parameters. */
    public Query query(String sql) {
        return queryAsWritten(schema.applyTo(sql));
    }

    Query queryAsWritten(String sql) {
        return handle.createQuery(sql);
    }

    /** A statement that changes rows, with {@code :named} parameters. */
    public Update update(String sql) {
        return updateAsWritten(schema.applyTo(sql));
    }

    Update updateAsWritten(String sql) {
        return handle.createUpdate(sql);
    }

    /**
     * A statement with {@code ?} for parameters, as the driver has it: for the few that somebody waits for while everything
     * else sleeps. The mapping layer takes as long as all the rest of such a one.
     */
    public <R> R plain(String sql, Plain<R> work) {
        return plainAsWritten(schema.applyTo(sql), work);
    }

    <R> R plainAsWritten(String sql, Plain<R> work) {
        try (PreparedStatement statement = handle.getConnection().prepareStatement(sql)) {
            return work.with(statement);
        } catch (SQLException e) {
            try (Query failed = queryAsWritten(sql)) {
                // As the mapping layer would tell it.
                throw new UnableToExecuteStatementException(e, failed.getContext());
            }
        }
    }

    /** The bare connection, for the few loops where a mapping layer would be felt. Never commit on it. */
    public Connection connection() {
        return handle.getConnection();
    }

    /** Nothing of this transaction is to remain: it is rolled back when the work returns, and its result is kept. */
    public void abandon() {
        abandoned = true;
    }

    /** What is true only once this has been committed. Not run when the outcome of the commit is unknown. */
    public void onCommit(Runnable action) {
        afterCommit.add(action);
    }

    void committed() {
        afterCommit.forEach(Runnable::run);
    }

    /**
     * What is true again once nothing of this remains. Run as well when the outcome of the commit is unknown. Never run in a
     * transaction that somebody else began, nor for a single statement.
     */
    public void onRollback(Runnable action) {
        afterRollback.add(action);
    }

    void rolledBack() {
        afterRollback.forEach(Runnable::run);
    }

    /** Does something of which, where it fails, nothing remains, and the transaction goes on. */
    public void orElse(Runnable work, Consumer<RuntimeException> failed) {
        String name = "part";
        handle.savepoint(name);
        try {
            work.run();
            handle.releaseSavepoint(name);
        } catch (RuntimeException e) {
            handle.rollbackToSavepoint(name);
            failed.accept(e);
        }
    }

    /** Does something of which nothing remains, whatever comes of it, and the transaction goes on. */
    public <R> R undone(Supplier<R> work) {
        String name = "trial";
        handle.savepoint(name);
        R result;
        try {
            result = work.get();
        } catch (RuntimeException failure) {
            try {
                handle.rollbackToSavepoint(name);
            } catch (RuntimeException second) {
                failure.addSuppressed(second);
            }
            throw failure;
        }
        handle.rollbackToSavepoint(name);
        return result;
    }

    /** A statement that goes to the server as it stands: no parameters, no other name for the schema, no escapes. */
    public void verbatim(String sql) {
        // Past a pool's own connection: some pools throw one away whose statement the server does not support.
        try (Statement statement =
                handle.getConnection().unwrap(Connection.class).createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(sql);
        } catch (SQLException e) {
            try (Query failed = queryAsWritten(sql)) {
                throw new UnableToExecuteStatementException(e, failed.getContext());
            }
        }
    }

    public boolean isAbandoned() {
        return abandoned;
    }
}
