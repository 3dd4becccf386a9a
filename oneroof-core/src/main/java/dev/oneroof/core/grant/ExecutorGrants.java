package dev.oneroof.core.grant;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import java.util.List;

/**
 * Grants to the logins of executors what they may lease, end, beat for and emit. A login with no grant may do none of it;
 * members of the server's and the admin's roles need none.
 */
public final class ExecutorGrants {
    private final Database db;
    private final ExecutorGrantStore store = new ExecutorGrantStore();

    public ExecutorGrants(Database db) {
        this.db = db;
    }

    /** Returns how many of them are new: all are granted, or where one is refused none. */
    public int grant(String login, GrantNames names, OperatorAct by) {
        return db.inTx(tx -> store.grant(tx, login, names, by));
    }

    /** Returns how many of them were granted. */
    public int revoke(String login, GrantNames names, OperatorAct by) {
        return db.inTx(tx -> store.revoke(tx, login, names, false, by));
    }

    /** Returns how many there were. */
    public int revokeAll(String login, OperatorAct by) {
        return db.inTx(tx -> store.revoke(tx, login, GrantNames.none(), true, by));
    }

    public List<ExecutorGrant> list() {
        return db.inTx(tx -> store.list(tx, null));
    }

    public List<ExecutorGrant> list(String login) {
        return db.inTx(tx -> store.list(tx, login));
    }
}
