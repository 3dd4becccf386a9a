package dev.oneroof.core.sqlworker;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.tail.source.SourceStore;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.ServerError;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.error.Problem;
import dev.oneroof.postgres.schema.RoleNames;
import java.util.List;

/**
 * Adds, changes and removes workers that are rows. Their statements run with the rights of the server, so only an
 * administrator may write them: each act sets that role, which the login must be a member of.
 */
public final class SqlWorkers {
    private final Database db;
    private final RoleNames roles;
    private final SqlWorkerStore store = new SqlWorkerStore();
    private final SqlWorkerCheck check = new SqlWorkerCheck();
    private final SourceStore sources = new SourceStore();

    public SqlWorkers(Database db, RoleNames roles) {
        this.db = db;
        this.roles = roles;
    }

    public List<SqlWorker> list() {
        return db.inTx(store::list);
    }

    public SqlWorker show(Scope scope) {
        return db.inTx(tx -> store.find(tx, scope)).orElseThrow(() -> unknown(scope));
    }

    /** Running instances start it within seconds. */
    public SqlWorker add(SqlWorkerDraft draft, OperatorAct by) {
        if (draft.scope().worker().startsWith("gov_")) {
            throw new OneRoofException(Problem.notAllowed(
                    "worker", draft.scope().worker(), "a name that does not begin with gov_: those are OneRoof's own"));
        }
        // Refuses any other name that is not allowed.
        TailSpec.draft(draft.scope().worker(), draft.scope().source()).bySql("");
        return db.inTx(tx -> {
            check.demand(tx, source(tx, draft.scope()), draft);
            actAsAdministrator(tx);
            if (!store.define(tx, draft, by)) {
                throw new OneRoofException(new Problem(
                        ErrorCode.CONFLICT,
                        "worker",
                        draft.scope().toString(),
                        null,
                        "there is one already",
                        "alter it, or choose another name"));
            }
            return store.find(tx, draft.scope()).orElseThrow();
        });
    }

    /** Running instances replace it within seconds. Its cursor stays where it is. */
    public SqlWorker alter(SqlWorkerDraft draft, OperatorAct by) {
        return db.inTx(tx -> {
            if (store.find(tx, draft.scope()).isEmpty()) {
                throw unknown(draft.scope());
            }
            check.demand(tx, source(tx, draft.scope()), draft);
            actAsAdministrator(tx);
            if (store.redefine(tx, draft, by).isEmpty()) {
                throw unknown(draft.scope());
            }
            return store.find(tx, draft.scope()).orElseThrow();
        });
    }

    /** Running instances end it within seconds. */
    public void remove(Scope scope, boolean withCursor, OperatorAct by) {
        db.useTx(tx -> {
            actAsAdministrator(tx);
            if (!store.undefine(tx, scope, withCursor, by)) {
                throw unknown(scope);
            }
        });
    }

    private TailSource source(Tx tx, Scope scope) {
        return sources.find(tx, scope.source())
                .orElseThrow(() -> new OneRoofException(new Problem(
                        ErrorCode.NOT_FOUND, "source", scope.source(), null, "it is not registered", null)));
    }

    private void actAsAdministrator(Tx tx) {
        String admin = roles.admin();
        try {
            tx.verbatim("SET LOCAL ROLE " + Identifiers.quote("role", admin));
        } catch (RuntimeException e) {
            if (ServerError.of(e) == null) {
                throw e;
            }
            throw new OneRoofException(
                    new Problem(
                            ErrorCode.PRIVILEGE_MISSING,
                            "login",
                            null,
                            null,
                            "it is no member of role %s, which this act needs".formatted(admin),
                            "run as an administrator of the database: GRANT %s TO your login"
                                    .formatted(Identifiers.quote("role", admin))),
                    e);
        }
    }

    private static OneRoofException unknown(Scope scope) {
        return new OneRoofException(new Problem(
                ErrorCode.NOT_FOUND, "worker", scope.toString(), null, "no row declares a worker of that name", null));
    }
}
