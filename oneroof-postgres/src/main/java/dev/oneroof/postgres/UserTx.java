package dev.oneroof.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.util.function.Consumer;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.Update;

/**
 * An open transaction in the hands of a user: a handler, an effect, a program that shares a transaction with OneRoof. Its
 * statements go to the server as they are written, byte for byte. Those of OneRoof are turned to the schema that OneRoof
 * lives in ({@link Tx}); as the two are different types, neither can be taken for the other.
 */
public final class UserTx {
    private final Tx tx;

    UserTx(Tx tx) {
        this.tx = tx;
    }

    /** The same transaction for a store of OneRoof: {@code new GateStore().open(tx.own(), …)}. */
    public Tx own() {
        return tx;
    }

    /** A statement that returns rows, with {@code :named} parameters. */
    public Query query(String sql) {
        return tx.queryAsWritten(sql);
    }

    /** As {@link #query}; the rows of its result can be read in any order, as often as one likes. */
    public Query scrollableQuery(String sql) {
        return query(sql).define(ScrollableStatements.ATTRIBUTE, true);
    }

    /** The whole result of a {@link #scrollableQuery}, which can be read until that query is closed. */
    public ResultSet fetched(Query scrollable) {
        return scrollable.execute((statement, context) -> statement.get().getResultSet());
    }

    /** A statement that changes rows, with {@code :named} parameters. */
    public Update update(String sql) {
        return tx.updateAsWritten(sql);
    }

    /** A statement with {@code ?} for parameters, without the mapping layer. */
    public <R> R plain(String sql, Tx.Plain<R> work) {
        return tx.plainAsWritten(sql, work);
    }

    /** The bare connection, for loops where a mapping layer would be felt. Never commit on it. */
    public Connection connection() {
        return tx.connection();
    }

    /** Nothing of this transaction is to remain: it is rolled back when the work returns, and its result is kept. */
    public void abandon() {
        tx.abandon();
    }

    public boolean isAbandoned() {
        return tx.isAbandoned();
    }

    /** What is true only once this has been committed. Not run when the outcome of the commit is unknown. */
    public void onCommit(Runnable action) {
        tx.onCommit(action);
    }

    /** What is true again once nothing of this remains; as {@link Tx#onRollback}. */
    public void onRollback(Runnable action) {
        tx.onRollback(action);
    }

    /** Does something of which, where it fails, nothing remains, and the transaction goes on. */
    public void orElse(Runnable work, Consumer<RuntimeException> failed) {
        tx.orElse(work, failed);
    }
}
