package dev.oneroof.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.jdbi.v3.core.statement.Update;

/**
 * An open transaction. It is passed as the first parameter to whatever takes part in it; nobody but
 * {@link Database#inTx} begins or ends one.
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

    /** A statement that returns rows, with {@code :named} parameters. */
    public Query query(String sql) {
        return handle.createQuery(sql);
    }

    /** As {@link #query}; the rows of its result can be gone through in any order, as often as one likes. */
    public Query scrollableQuery(String sql) {
        return handle.createQuery(sql).define(ScrollableStatements.ATTRIBUTE, true);
    }

    /** The whole result of a {@link #scrollableQuery}, to be gone through by whomever until that query is closed. */
    public ResultSet fetched(Query scrollable) {
        return scrollable.execute((statement, context) -> statement.get().getResultSet());
    }

    /** A statement that changes rows, with {@code :named} parameters. */
    public Update update(String sql) {
        return handle.createUpdate(sql);
    }

    /**
     * A statement with {@code ?} for parameters, as the driver has it: for the few that somebody waits for while everything
     * else sleeps. The mapping layer takes as long as all the rest of such a one.
     */
    public <R> R plain(String sql, Plain<R> work) {
        try (PreparedStatement statement = handle.getConnection().prepareStatement(schema.applyTo(sql))) {
            return work.with(statement);
        } catch (SQLException e) {
            try (Query failed = query(sql)) {
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

    public boolean isAbandoned() {
        return abandoned;
    }
}
